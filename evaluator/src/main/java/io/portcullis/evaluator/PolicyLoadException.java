package io.portcullis.evaluator;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Thrown when a policy cannot be served; {@link Reason} identifies the failed part. */
public final class PolicyLoadException extends RuntimeException {

    /** The failed part. The names are the reasons in the status of a revision. */
    public enum Reason {
        INVALID_MODULE,
        INVALID_METADATA,
        LINK_ERROR,
        INVALID_SETTINGS,
        INVALID_EXPRESSION,
        INVALID_CAPABILITIES,
        /** The preparation process was killed or reached a limit. */
        PREPARATION_FAILED
    }

    private final Reason reason;
    private final String message;
    private final Optional<String> quarantined;

    public PolicyLoadException(Reason reason, String message, @Nullable Throwable cause) {
        this(reason, message, cause, Optional.empty());
    }

    private PolicyLoadException(
            Reason reason, String message, @Nullable Throwable cause, Optional<String> quarantined) {
        super(message, cause);
        this.reason = reason;
        this.message = message;
        this.quarantined = quarantined;
    }

    /**
     * Creates the failure for a module in quarantine: its preparation failed, and it is not prepared again for some
     * time.
     *
     * @param digest SHA-256 of the module, lower-case hexadecimal
     */
    public static PolicyLoadException quarantined(String digest, String message) {
        return new PolicyLoadException(Reason.PREPARATION_FAILED, message, null, Optional.of(digest));
    }

    /** Returns the same failure with a message that names the failed part of the policy. */
    public PolicyLoadException withMessage(String other) {
        return new PolicyLoadException(reason, other, this, quarantined);
    }

    /** The digest of the module that must leave the quarantine before another attempt can succeed. */
    public Optional<String> quarantinedDigest() {
        return quarantined;
    }

    public Reason reason() {
        return reason;
    }

    /**
     * Returns the message of the rejections (code 500) for requests to the failed policy. The texts are those of
     * Kubewarden.
     */
    public String rejection(String policyId) {
        return switch (reason) {
            case INVALID_SETTINGS -> message;
            case LINK_ERROR, INVALID_CAPABILITIES -> "bootstrap failure: " + message;
            case INVALID_MODULE, INVALID_METADATA, INVALID_EXPRESSION, PREPARATION_FAILED ->
                "bootstrap failure: " + policyId + ": " + message;
        };
    }
}
