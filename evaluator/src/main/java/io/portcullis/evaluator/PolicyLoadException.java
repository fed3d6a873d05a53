package io.portcullis.evaluator;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A policy cannot be served; {@link Reason} says which part of it is at fault. */
public final class PolicyLoadException extends RuntimeException {

    /** What failed. The names are the reasons shown in the status of a revision. */
    public enum Reason {
        INVALID_MODULE,
        INVALID_METADATA,
        LINK_ERROR,
        INVALID_SETTINGS,
        INVALID_EXPRESSION,
        INVALID_CAPABILITIES,
        /** The process that prepares the module was ended, or reached a limit. */
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
     * The preparation of a module failed, and the module is not prepared again for some time.
     *
     * @param digest SHA-256 of the module, lower-case hexadecimal
     */
    public static PolicyLoadException quarantined(String digest, String message) {
        return new PolicyLoadException(Reason.PREPARATION_FAILED, message, null, Optional.of(digest));
    }

    /** The same failure, with a text that names the part of a policy that failed. */
    public PolicyLoadException withMessage(String other) {
        return new PolicyLoadException(reason, other, this, quarantined);
    }

    /** The module that must leave the quarantine before another attempt can succeed. */
    public Optional<String> quarantinedDigest() {
        return quarantined;
    }

    public Reason reason() {
        return reason;
    }

    /** The message with which requests to the broken policy are rejected, code 500; texts as the original's. */
    public String rejection(String policyId) {
        return switch (reason) {
            case INVALID_SETTINGS -> message;
            case LINK_ERROR, INVALID_CAPABILITIES -> "bootstrap failure: " + message;
            case INVALID_MODULE, INVALID_METADATA, INVALID_EXPRESSION, PREPARATION_FAILED ->
                "bootstrap failure: " + policyId + ": " + message;
        };
    }
}
