package io.portcullis.server.cluster.initialization;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.server.cluster.Causes;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.settings.ClusterSettings.UnverifiedPolicies;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks revisions that were initialised earlier against the present verification config, which may be stricter. Asks for
 * each module once in a term, since many policies share one. Thread-safe.
 */
public final class SignatureCheck {

    private final RevisionModules modules;
    private final UnverifiedPolicies unverified;
    private final Map<String, Optional<String>> refusals = new ConcurrentHashMap<>();

    public SignatureCheck(RevisionModules modules, UnverifiedPolicies unverified) {
        this.modules = modules;
        this.unverified = unverified;
    }

    /** What becomes of a revision. */
    sealed interface Verdict {

        record Accepted() implements Verdict {}

        /** It stays as it is, and says why it should not. */
        record Tolerated(String cause) implements Verdict {}

        record Refused(String cause) implements Verdict {}
    }

    /** @throws ArtifactException when signatures cannot be read now; what is served stays so */
    Verdict check(ObservedRevision revision) {
        for (var artifact : revision.status().artifacts()) {
            var key = artifact.module() + " " + artifact.digest();
            var refusal = refusals.get(key);
            if (refusal == null) {
                refusal = modules.refusal(artifact.module(), artifact.digest()).map(Causes::sanitize);
                refusals.put(key, refusal);
            }
            if (refusal.isPresent()) {
                return switch (unverified) {
                    case KEEP -> new Verdict.Tolerated(refusal.get());
                    case FAIL -> new Verdict.Refused(refusal.get());
                };
            }
        }
        return new Verdict.Accepted();
    }

    /** A new leader asks anew. */
    void forget() {
        refusals.clear();
    }
}
