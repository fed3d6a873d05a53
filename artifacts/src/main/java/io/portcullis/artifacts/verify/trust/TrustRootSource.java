package io.portcullis.artifacts.verify.trust;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Supplies the trust root. Called only if a signature needs one. Thread-safe. */
@FunctionalInterface
public interface TrustRootSource {

    /** @throws ArtifactException {@code TRUST_ROOT} if no trust root is available */
    TrustRoot get();

    /** No trust root: every signature without a known key fails. */
    TrustRootSource NONE = () -> {
        throw new ArtifactException(Reason.TRUST_ROOT, "no Sigstore trust root is configured");
    };

    /** Reads a {@code trusted_root.json} or a {@code ClientTrustConfig} on each call. */
    static TrustRootSource file(Path file) {
        return () -> {
            try {
                return TrustRoot.parse(Files.readAllBytes(file));
            } catch (IOException e) {
                throw new ArtifactException(
                        Reason.TRUST_ROOT, "Error building Sigstore trust root: cannot read " + file, e);
            }
        };
    }
}
