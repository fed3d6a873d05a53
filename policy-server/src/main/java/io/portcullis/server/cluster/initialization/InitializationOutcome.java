package io.portcullis.server.cluster.initialization;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.server.cluster.revisions.ErrorTexts;
import java.util.List;

/** The result of the initialisation of a revision. */
sealed interface InitializationOutcome {

    record Done(List<Artifact> artifacts) implements InitializationOutcome {}

    record Failed(Reason reason, String message) implements InitializationOutcome {}

    default Condition condition(long generation) {
        return switch (this) {
            case Done _ ->
                Condition.ofGeneration(
                        ConditionType.INITIALIZED,
                        generation,
                        ConditionStatus.TRUE,
                        Reason.POLICY_INITIALIZED,
                        Messages.POLICY_INITIALIZED);
            case Failed(var reason, var message) ->
                Condition.ofGeneration(ConditionType.INITIALIZED, generation, ConditionStatus.FALSE, reason, message);
        };
    }

    static Failed failed(Reason reason, String cause) {
        var text = switch (reason) {
            case PULL_ERROR -> Messages.PULL_ERROR + " " + cause;
            default -> cause;
        };
        return new Failed(reason, ErrorTexts.sanitize(text));
    }

    static Failed of(ArtifactException e) {
        var reason = switch (e.reason()) {
            case NOT_FOUND, UNAVAILABLE, TRUST_ROOT, CACHE_INTEGRITY -> Reason.PULL_ERROR;
            case UNAUTHORIZED -> Reason.REGISTRY_AUTH_ERROR;
            case TIMEOUT -> Reason.TIMEOUT;
            case LOCAL_IO -> Reason.CACHE_WRITE_ERROR;
            case DIGEST_MISMATCH -> Reason.DIGEST_MISMATCH;
            case SIGNATURE -> Reason.SIGNATURE_VERIFICATION_ERROR;
            case INVALID_REFERENCE, INVALID_ARTIFACT, TOO_LARGE -> Reason.UNSUPPORTED_POLICY;
        };
        return failed(reason, String.valueOf(e.getMessage()));
    }

    static Failed of(PolicyLoadException e) {
        var reason = switch (e.reason()) {
            case INVALID_MODULE -> Reason.PRECOMPILATION_ERROR;
            case INVALID_METADATA, LINK_ERROR, INVALID_CAPABILITIES -> Reason.UNSUPPORTED_POLICY;
            case INVALID_SETTINGS -> Reason.INVALID_SETTINGS;
            case INVALID_EXPRESSION -> Reason.INVALID_EXPRESSION;
            case PREPARATION_FAILED -> Reason.PREPARATION_FAILED;
        };
        return failed(reason, String.valueOf(e.getMessage()));
    }
}
