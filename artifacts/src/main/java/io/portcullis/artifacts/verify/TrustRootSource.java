package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the trust root comes from. Asked only when a signature needs one. Thread-safe. */
@FunctionalInterface
public interface TrustRootSource {

    /** @throws ArtifactException {@code TRUST_ROOT} when there is none to be had */
    TrustRoot get();

    /** Nothing to trust: whatever is not signed with a known key fails. */
    TrustRootSource NONE = () -> {
        throw new ArtifactException(Reason.TRUST_ROOT, "no Sigstore trust root is configured");
    };

    /** A {@code trusted_root.json} or a {@code ClientTrustConfig}, read when it is needed. */
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
