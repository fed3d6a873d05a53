package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import java.util.HashMap;
import java.util.Map;

/** An OCI descriptor: media type, digest and size of content. */
public record Descriptor(
        String mediaType, String digest, long size, String artifactType, Map<String, String> annotations) {

    public Descriptor {
        annotations = Map.copyOf(annotations);
    }

    static Descriptor parse(JsonNode node) {
        var digest = node.path("digest").asText();
        if (!Digest.isDigest(digest)) {
            throw new ArtifactException(Reason.INVALID_ARTIFACT, "a manifest points to content without a valid digest");
        }
        var annotations = new HashMap<String, String>();
        node.path("annotations")
                .properties()
                .forEach(each -> annotations.put(each.getKey(), each.getValue().asText()));
        return new Descriptor(
                node.path("mediaType").asText(),
                digest,
                node.path("size").asLong(-1),
                node.path("artifactType").asText(),
                annotations);
    }
}
