package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.source.ImageReference;

/**
 * A policy whose reference is resolved to a manifest digest.
 *
 * @param digest of the manifest
 * @param wasm the layer with the module
 */
public record PolicyManifest(ImageReference image, String digest, Descriptor wasm) {

    /** Returns the reference, pinned to the resolved digest. */
    public ImageReference pinned() {
        return image.withDigest(digest);
    }
}
