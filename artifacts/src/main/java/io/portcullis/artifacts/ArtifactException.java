package io.portcullis.artifacts;

import org.jspecify.annotations.Nullable;

/** A module could not be had; the message says what was tried, on what, and why it failed. */
public final class ArtifactException extends RuntimeException {

    /** What kind of failure; decides whether and when to try again. */
    public enum Reason {
        /** The reference or a configuration file cannot be understood; nothing was tried. */
        INVALID_REFERENCE,
        NOT_FOUND,
        /** 401 or 403, with or without credentials. */
        UNAUTHORIZED,
        /** Network, TLS, 429, 5xx, too many redirects: the other side may recover. */
        UNAVAILABLE,
        /** No answer, or a body too slow to be honest. */
        TIMEOUT,
        /** It was had, and it is not a policy: wrong media type, several layers, not WebAssembly. */
        INVALID_ARTIFACT,
        TOO_LARGE,
        DIGEST_MISMATCH,
        /** Signatures are missing, forged, or not by whom the configuration wants. */
        SIGNATURE,
        /** Verification is configured but nothing says whom to trust; the signatures were not judged. */
        TRUST_ROOT,
        /** A file of the shared cache is not what its signature says; it was deleted. */
        CACHE_INTEGRITY,
        /** Reading or writing this machine's disk. */
        LOCAL_IO;

        /** Whether the same attempt may succeed later without anyone changing the policy. */
        public boolean isRetryable() {
            return switch (this) {
                case NOT_FOUND, UNAUTHORIZED, UNAVAILABLE, TIMEOUT, TRUST_ROOT, CACHE_INTEGRITY, LOCAL_IO -> true;
                case INVALID_REFERENCE, INVALID_ARTIFACT, TOO_LARGE, DIGEST_MISMATCH, SIGNATURE -> false;
            };
        }
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
