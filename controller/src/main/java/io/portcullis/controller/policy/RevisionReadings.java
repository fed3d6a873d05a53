package io.portcullis.controller.policy;

import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.lifecycle.Revision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.cluster.Watched;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What revisions say, as decisions and proofs see it. A policy has a dozen of them, which are looked at several times in
 * every pass and change rarely: each object is read once. Thread-safe.
 */
final class RevisionReadings {

    private final Map<String, Reading> readings = new ConcurrentHashMap<>();

    /** Objects of the watches are never changed, only replaced; so are answers of the API server. */
    private static final class Reading {

        private final PolicyRevision object;
        private final Revision revision;
        private boolean isExpectationKnown;
        private @Nullable ServedGeneration expected;

        Reading(PolicyRevision object) {
            this.object = object;
            this.revision = Revision.of(object);
        }

        /** Worked out when it is asked for: only what is served is to be proved. */
        synchronized Optional<ServedGeneration> expected() {
            if (!isExpectationKnown) {
                expected = workOut();
                isExpectationKnown = true;
            }
            return Optional.ofNullable(expected);
        }

        private @Nullable ServedGeneration workOut() {
            try {
                return ServedGeneration.expectedOf(object);
            } catch (FlatObject.MalformedException _) {
                return null; // nobody can serve what cannot be read
            }
        }
    }

    /** Forgets what is gone; to be called before the watches start. */
    void follow(Watched<PolicyRevision> revisions) {
        revisions.onGone(revision -> readings.remove(revision.getMetadata().getUid()));
    }

    Revision of(PolicyRevision revision) {
        return reading(revision).revision;
    }

    /** How replicas are to serve it; absent when nobody can. */
    Optional<ServedGeneration> expected(PolicyRevision revision) {
        return reading(revision).expected();
    }

    @SuppressWarnings("ReferenceEquality") // comparing contents would cost more than reading them
    private Reading reading(PolicyRevision revision) {
        return readings.compute(
                revision.getMetadata().getUid(),
                (_, known) -> known != null && known.object == revision ? known : new Reading(revision));
    }
}
