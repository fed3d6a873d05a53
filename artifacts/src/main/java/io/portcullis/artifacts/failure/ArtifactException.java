package io.portcullis.artifacts.failure;

import org.jspecify.annotations.Nullable;

/** Reports that a module cannot be fetched. The message names the attempted action, the object and the cause. */
public final class ArtifactException extends RuntimeException {

    /** Classifies the failure. The reason decides whether and when to retry. */
    public enum Reason {
        /** The reference or a configuration file is malformed. No request was sent. */
        INVALID_REFERENCE,
        NOT_FOUND,
        /** 401 or 403, with or without credentials. */
        UNAUTHORIZED,
        /** Network, TLS, 429, 5xx, too many redirects. The remote side may recover. */
        UNAVAILABLE,
        /** The server sent no response in time, or the body arrived too slowly. */
        TIMEOUT,
        /** The download succeeded but is not a policy: wrong media type, several layers, not WebAssembly. */
        INVALID_ARTIFACT,
        TOO_LARGE,
        DIGEST_MISMATCH,
        /** Signatures are missing, forged, or by a signer that the configuration does not accept. */
        SIGNATURE,
        /** Verification is configured but no trust root is available. The signatures were not checked. */
        TRUST_ROOT,
        /** A file of the shared cache does not match its signature. The file was deleted. */
        CACHE_INTEGRITY,
        /** Reading or writing the local disk failed. */
        LOCAL_IO;

        /** Reports whether a retry may succeed later without a change to the policy. */
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
