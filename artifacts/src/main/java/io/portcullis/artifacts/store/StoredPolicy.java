package io.portcullis.artifacts.store;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A policy on the local disk. */
public record StoredPolicy(PolicyUri uri, Path file) {

    /** Returns {@code sha256:<hex>} of the current file. */
    public String digest() {
        return Digest.sha256(bytes());
    }

    public byte[] bytes() {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    public long size() {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
