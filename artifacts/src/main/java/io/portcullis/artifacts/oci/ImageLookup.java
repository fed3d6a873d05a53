package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.ImageReference;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Looks up images for the host calls of policies ({@code v1/manifest_digest}, {@code v1/oci_manifest}, {@code
 * v1/oci_manifest_config}). References follow docker's rules. Does not cache; the caller decides how long a result is
 * valid. Thread-safe.
 */
public final class ImageLookup {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_CONFIG_BYTES = 8 << 20;
    private static final List<String> MANIFEST_KEYS =
            List.of("schemaVersion", "mediaType", "config", "layers", "subject", "artifactType", "annotations");
    private static final List<String> INDEX_KEYS =
            List.of("schemaVersion", "mediaType", "manifests", "artifactType", "annotations");
    private static final List<String> DESCRIPTOR_KEYS =
            List.of("mediaType", "digest", "size", "urls", "annotations", "artifactType", "platform");
    private static final List<String> PLATFORM_KEYS =
            List.of("architecture", "os", "os.version", "os.features", "variant", "features");

    private final RegistryClient registry;

    public ImageLookup(RegistryClient registry) {
        this.registry = registry;
    }

    /** An image's manifest with its digest and its configuration. */
    public record ManifestAndConfig(JsonNode manifest, String digest, JsonNode config) {}

    /** Returns the digest, {@code sha256:…}, that the reference currently points to. */
    public String manifestDigest(String image) {
        return registry.digest(ImageReference.parse(image));
    }

    /** Returns the manifest or the index that the reference points to, reduced to the known keys. */
    public JsonNode manifest(String image) {
        return withKnownKeys(registry.manifest(ImageReference.parse(image)));
    }

    /** Returns the manifest and the configuration. For an index, selects the entry for the current platform. */
    public ManifestAndConfig manifestAndConfig(String image) {
        var reference = ImageReference.parse(image);
        var manifest = registry.manifest(reference);
        if (manifest.isIndex()) {
            manifest = registry.manifest(reference.withDigest(entryForThisPlatform(image, manifest)));
        }
        var config = registry.blob(reference, manifest.config(), MAX_CONFIG_BYTES);
        try {
            return new ManifestAndConfig(withKnownKeys(manifest), manifest.digest(), JSON.readTree(config));
        } catch (IOException e) {
            throw new ArtifactException(Reason.INVALID_ARTIFACT, image + ": the configuration is not JSON", e);
        }
    }

    private static String entryForThisPlatform(String image, Manifest index) {
        for (var entry : index.json().path("manifests")) {
            var platform = entry.path("platform");
            if (platform.path("os").asText().equals(os())
                    && platform.path("architecture").asText().equals(architecture())) {
                return Descriptor.parse(entry).digest();
            }
        }
        throw new ArtifactException(
                Reason.NOT_FOUND, image + ": the index has no entry for " + os() + "/" + architecture());
    }

    private static String os() {
        var name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        return name.startsWith("windows") ? "windows" : name.startsWith("mac") ? "darwin" : "linux";
    }

    private static String architecture() {
        return switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            case String other -> other;
        };
    }

    private static JsonNode withKnownKeys(Manifest manifest) {
        var kept = pick(manifest.json(), manifest.isIndex() ? INDEX_KEYS : MANIFEST_KEYS);
        for (var key : List.of("config", "subject")) {
            if (kept.path(key).isObject()) {
                kept.set(key, descriptor(kept.get(key)));
            }
        }
        for (var key : List.of("layers", "manifests")) {
            if (kept.path(key).isArray()) {
                var list = new ArrayNode(JsonNodeFactory.instance);
                kept.get(key).forEach(each -> list.add(descriptor(each)));
                kept.set(key, list);
            }
        }
        return kept;
    }

    private static ObjectNode descriptor(JsonNode node) {
        var kept = pick(node, DESCRIPTOR_KEYS);
        if (kept.path("platform").isObject()) {
            kept.set("platform", pick(kept.get("platform"), PLATFORM_KEYS));
        }
        return kept;
    }

    private static ObjectNode pick(JsonNode node, List<String> keys) {
        var kept = new ObjectNode(JsonNodeFactory.instance);
        for (var key : keys) {
            if (node.hasNonNull(key)) {
                kept.set(key, node.get(key));
            }
        }
        return kept;
    }
}
