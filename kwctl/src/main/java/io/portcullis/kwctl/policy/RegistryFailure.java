package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.kwctl.cli.CommandException;

/** Converts registry failures into the error messages that scripts match. */
public final class RegistryFailure {

    private RegistryFailure() {}

    /** Returns the error for the user. Other failures stay unchanged. */
    public static RuntimeException of(ArtifactException failure) {
        return switch (failure.reason()) {
            case NOT_FOUND, UNAUTHORIZED, UNAVAILABLE, TIMEOUT ->
                new CommandException("Fail to interact with OCI registry: " + failure.getMessage(), failure.getCause());
            case SIGNATURE,
                    INVALID_REFERENCE,
                    INVALID_ARTIFACT,
                    TOO_LARGE,
                    DIGEST_MISMATCH,
                    TRUST_ROOT,
                    CACHE_INTEGRITY,
                    LOCAL_IO -> failure;
        };
    }
}
