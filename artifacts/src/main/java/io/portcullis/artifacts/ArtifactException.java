package io.portcullis.artifacts;

import org.jspecify.annotations.Nullable;

/** A module could not be had; the message says what was tried, on what, and why it failed. */
public final class ArtifactException extends RuntimeException {

    /** What kind of failure; decides whether and when to try again. */
    public enum Reason {
        INVALID_REFERENCE,
        NOT_FOUND,
        UNAUTHORIZED,
        UNAVAILABLE,
        INVALID_ARTIFACT,
        TOO_LARGE,
        DIGEST_MISMATCH,
        SIGNATURE,
        LOCAL_IO
    }

    private final Reason reason;

    public ArtifactException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public ArtifactException(Reason reason, String message) {
        this(reason, message, null);
    }

    public Reason reason() {
        return reason;
    }
}
