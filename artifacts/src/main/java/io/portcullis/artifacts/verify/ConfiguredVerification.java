package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.source.ImageReference;

/** Verifies every policy against one configuration. */
public record ConfiguredVerification(ImageVerifier verifier, PolicyArtifacts artifacts, VerificationConfig config)
        implements PolicyVerification {

    @Override
    public String verify(ImageReference image) {
        return verifier.verify(image, config);
    }

    @Override
    public String wasmDigest(ImageReference pinned) {
        return artifacts.resolve(pinned).wasm().digest();
    }
}
