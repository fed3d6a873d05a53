package io.portcullis.evaluator.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.wasm.Deadline;

/** Reads manifests from OCI registries. Image references follow docker's rules. */
public interface ImageRegistry {

    String manifestDigest(String image, Deadline deadline);

    /** An image manifest or an image index, whichever the reference names. */
    JsonNode manifest(String image, Deadline deadline);

    /** For an index: of the image for the platform this program runs on. */
    ImageConfig manifestAndConfig(String image, Deadline deadline);

    record ImageConfig(JsonNode manifest, String digest, JsonNode config) {}
}
