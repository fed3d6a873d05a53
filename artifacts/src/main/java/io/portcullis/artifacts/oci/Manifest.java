package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A manifest or an index exactly as the registry sent it, with the digest of these bytes. */
public record Manifest(JsonNode json, byte[] bytes, String mediaType, String digest) {

    private static final ObjectMapper JSON = new ObjectMapper();

    static Manifest parse(byte[] bytes, String contentType, String digest) {
        JsonNode json;
        try {
            json = JSON.readTree(bytes);
        } catch (IOException e) {
            throw new ArtifactException(Reason.INVALID_ARTIFACT, "the manifest is not JSON", e);
        }
        if (json == null || !json.isObject()) {
            throw new ArtifactException(Reason.INVALID_ARTIFACT, "the manifest is not a JSON object");
        }
        var declared = json.path("mediaType").asText();
        return new Manifest(
                json,
                bytes,
                declared.isEmpty() ? contentType.replaceFirst(";.*", "").strip() : declared,
                digest);
    }

    static Manifest of(byte[] bytes, String mediaType) {
        return parse(bytes, mediaType, Digest.sha256(bytes));
    }

    /** Reports whether this is an index, which lists other manifests. */
    public boolean isIndex() {
        return MediaTypes.INDEXES.contains(mediaType) || (json.has("manifests") && !json.has("layers"));
    }

    public List<Descriptor> layers() {
        return descriptors("layers");
    }

    /** Returns the entries of an index. */
    public List<Descriptor> manifests() {
        return descriptors("manifests");
    }

    public Descriptor config() {
        return Descriptor.parse(json.path("config"));
    }

    private List<Descriptor> descriptors(String key) {
        var found = new ArrayList<Descriptor>();
        json.path(key).forEach(each -> found.add(Descriptor.parse(each)));
        return List.copyOf(found);
    }
}
