package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.ImageReference;

/** Verifies images against the signatures that the operator requires. Thread-safe. */
public interface PolicyVerification {

    /**
     * @return the digest of the manifest that carries the required signatures
     * @throws ArtifactException {@code SIGNATURE} or {@code TRUST_ROOT}, or the reason why the registry request
     *     failed
     */
    String verify(ImageReference image);

    /** Returns the digest of the module in the signed manifest. */
    String wasmDigest(ImageReference pinned);
}
