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

    public PolicyLoadException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
