package io.portcullis.artifacts;

import io.portcullis.artifacts.source.ImageReference;

/** What the operator demands of signatures, ready to be asked. Thread-safe. */
public interface PolicyVerification {

    /**
     * @return the digest of the manifest that is signed as demanded
     * @throws ArtifactException {@code SIGNATURE} or {@code TRUST_ROOT}, or why the registry could not be asked
     */
    String verify(ImageReference image);

    /** The digest of the module that the signed manifest names. */
    String wasmDigest(ImageReference pinned);
}
