package io.portcullis.server.cluster.initialization;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.revisions.ErrorTexts;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.settings.ClusterSettings.UnverifiedPolicies;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks initialised revisions against the current verification config, which may be stricter than before. Verifies each
 * module once in a term, because many policies share a module. Thread-safe.
 */
public final class SignatureCheck {

    private final RevisionModules modules;
    private final UnverifiedPolicies unverified;
    private final Map<String, Optional<String>> refusals = new ConcurrentHashMap<>();

    public SignatureCheck(RevisionModules modules, UnverifiedPolicies unverified) {
        this.modules = modules;
        this.unverified = unverified;
    }

    /** The result of a check. */
    sealed interface Verdict {

        record Accepted() implements Verdict {}

        /** The revision keeps being served, and its status shows why the config does not accept it. */
        record Tolerated(String cause) implements Verdict {}

        record Refused(String cause) implements Verdict {}
    }

    /** @throws ArtifactException when signatures cannot be read now; replicas keep serving the revision */
    Verdict check(ObservedRevision revision) {
        for (var artifact : revision.status().artifacts()) {
            var key = artifact.module() + " " + artifact.digest();
            var refusal = refusals.get(key);
            if (refusal == null) {
                refusal = modules.refusal(artifact.module(), artifact.digest()).map(ErrorTexts::sanitize);
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

    /** Clears the cached results. A new leader verifies again. */
    void clear() {
        refusals.clear();
    }
}
