package io.portcullis.evaluator.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.wasm.Deadline;

/** Reads manifests from OCI registries. Image references follow docker's rules. */
public interface ImageRegistry {

    String manifestDigest(String image, Deadline deadline);

    /** Returns the image manifest or the image index that the reference names. */
    JsonNode manifest(String image, Deadline deadline);

    /**
     * Returns manifest, digest and configuration; for an index, those of the image for the platform of this program.
     */
    ImageConfig manifestAndConfig(String image, Deadline deadline);

    record ImageConfig(JsonNode manifest, String digest, JsonNode config) {}
}
