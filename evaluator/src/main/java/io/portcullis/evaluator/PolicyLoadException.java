package io.portcullis.evaluator;

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
        INVALID_CAPABILITIES
    }

    private final Reason reason;
    private final String message;

    public PolicyLoadException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.message = message;
    }

    public Reason reason() {
        return reason;
    }

    /** The message with which requests to the broken policy are rejected, code 500; texts as the original's. */
    public String rejection(String policyId) {
        return switch (reason) {
            case INVALID_SETTINGS -> message;
            case LINK_ERROR, INVALID_CAPABILITIES -> "bootstrap failure: " + message;
            case INVALID_MODULE, INVALID_METADATA, INVALID_EXPRESSION ->
                "bootstrap failure: " + policyId + ": " + message;
        };
    }
}
