package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.source.Digest;

/** Content to upload. */
public record Blob(String mediaType, byte[] bytes) {

    public String digest() {
        return Digest.sha256(bytes);
    }
}
