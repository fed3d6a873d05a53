package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.kwctl.cli.CommandException;

/** Trouble with a registry, in the words that scripts look for. */
public final class RegistryFailure {

    private RegistryFailure() {}

    /** What users are told; failures that are not the registry's stay as they are. */
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
