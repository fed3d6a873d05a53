package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.source.ImageReference;

/**
 * A policy as a registry describes it, resolved and fixed.
 *
 * @param digest of the manifest
 * @param wasm the layer with the module
 */
public record PolicyManifest(ImageReference image, String digest, Descriptor wasm) {

    /** The reference pinned to what was found. */
    public ImageReference pinned() {
        return image.withDigest(digest);
    }
}
