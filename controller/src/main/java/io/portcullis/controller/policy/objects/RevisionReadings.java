package io.portcullis.controller.policy.objects;

import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.core.lifecycle.Revision;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Caches the parsed form of revisions. A policy has about a dozen revisions. Every pass uses them several times and
 * they change rarely, so each object is parsed once. Thread-safe.
 */
public final class RevisionReadings {

    private final Map<String, Reading> readings = new ConcurrentHashMap<>();

    /** The parsed form of one object. Objects from watches and from API server answers are replaced, never modified. */
    private static final class Reading {

        private final PolicyRevision object;
        private final Revision revision;
        private boolean isExpectedComputed;
        private @Nullable ServedGeneration expected;
        private @Nullable Boolean isIntact;

        Reading(PolicyRevision object) {
            this.object = object;
            this.revision = Revision.of(object);
        }

        /** Computed on first use, because only served revisions need proof. */
        synchronized Optional<ServedGeneration> expected() {
            if (!isExpectedComputed) {
                expected = compute();
                isExpectedComputed = true;
            }
            return Optional.ofNullable(expected);
        }

        /** Computed on first use, because it hashes the content. */
        synchronized boolean isIntact() {
            if (isIntact == null) {
                isIntact = object.getSpec().isIntact();
            }
            return isIntact;
        }

        private @Nullable ServedGeneration compute() {
            try {
                return ServedGeneration.expectedOf(object);
            } catch (FlatObject.MalformedException _) {
                return null; // a malformed revision cannot be served
            }
        }
    }

    /** Drops deleted revisions. Call before the watches start. */
    public void follow(Watched<PolicyRevision> revisions) {
        revisions.onGone(revision -> readings.remove(revision.getMetadata().getUid()));
    }

    public Revision of(PolicyRevision revision) {
        return reading(revision).revision;
    }

    /** How replicas should serve the revision; absent when it cannot be served. */
    public Optional<ServedGeneration> expected(PolicyRevision revision) {
        return reading(revision).expected();
    }

    /** Whether the content is unchanged since it was frozen. */
    public boolean isIntact(PolicyRevision revision) {
        return reading(revision).isIntact();
    }

    @SuppressWarnings("ReferenceEquality") // comparing contents costs more than parsing them
    private Reading reading(PolicyRevision revision) {
        return readings.compute(
                revision.getMetadata().getUid(),
                (_, cached) -> cached != null && cached.object == revision ? cached : new Reading(revision));
    }
}
