package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.source.ImageReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls and pushes policies as OCI artefacts in Kubewarden's format: one WebAssembly layer and an empty
 * configuration. Thread-safe.
 */
public final class PolicyArtifacts {

    private static final Logger log = LoggerFactory.getLogger(PolicyArtifacts.class);
    private static final byte[] EMPTY_CONFIG = "{}".getBytes(StandardCharsets.UTF_8);
    // Sorted keys and no white space, so that equal policies have equal digests.
    private static final ObjectMapper CANONICAL = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();
    private static final String POLICY_SOURCE = "io.kubewarden.policy.source";
    private static final String IMAGE_SOURCE = "org.opencontainers.image.source";

    private final RegistryClient registry;

    public PolicyArtifacts(RegistryClient registry) {
        this.registry = registry;
    }

    /** Resolves the reference once. Later steps use the result, so a moved tag cannot replace the policy. */
    public PolicyManifest resolve(ImageReference image) {
        var manifest = registry.manifest(image);
        if (manifest.isIndex()) {
            manifest = registry.manifest(
                    image.withDigest(onlyEntry(image, manifest).digest()));
        }
        return new PolicyManifest(image, manifest.digest(), onlyWasmLayer(image, manifest));
    }

    private static Descriptor onlyEntry(ImageReference image, Manifest index) {
        var entries = index.manifests();
        if (entries.size() != 1) {
            throw unfit(image, "an index of " + entries.size() + " manifests does not say which one is the policy");
        }
        return entries.getFirst();
    }

    private static Descriptor onlyWasmLayer(ImageReference image, Manifest manifest) {
        var layers = manifest.layers();
        for (var layer : layers) {
            if (!layer.mediaType().equals(MediaTypes.WASM_LAYER)) {
                throw unfit(image, "Incompatible layer media type: " + layer.mediaType());
            }
        }
        if (layers.size() != 1) {
            throw unfit(image, "a policy has one layer, this artefact has " + layers.size());
        }
        return layers.getFirst();
    }

    private static ArtifactException unfit(ImageReference image, String why) {
        return new ArtifactException(Reason.INVALID_ARTIFACT, image + " is not a policy: " + why);
    }

    /** Downloads the module of a resolved policy into a file and checks it against the digest in the manifest. */
    public void pull(PolicyManifest policy, Path file, long limit, DownloadProgress progress) {
        registry.blob(policy.image(), policy.wasm(), file, limit, progress);
    }

    /** Downloads one module by its own digest, independent of the current target of the tag. */
    public void pullModule(ImageReference image, String digest, Path file, long limit) {
        var layer = new Descriptor(MediaTypes.WASM_LAYER, digest, -1, "", Map.of());
        registry.blob(image, layer, file, limit, DownloadProgress.SILENT);
    }

    /**
     * Uploads a policy.
     *
     * @param annotations of the policy; single-line values become annotations of the manifest
     * @return {@code registry/repository@sha256:…}
     */
    public String push(ImageReference image, byte[] wasm, Map<String, String> annotations, DownloadProgress progress) {
        var layer = new Blob(MediaTypes.WASM_LAYER, wasm);
        var config = new Blob(MediaTypes.WASM_CONFIG, EMPTY_CONFIG);
        registry.pushBlob(image, layer, progress);
        registry.pushBlob(image, config, DownloadProgress.SILENT);
        var digest = registry.pushManifest(
                image, manifest(config, layer, manifestAnnotations(annotations)), MediaTypes.OCI_MANIFEST);
        return image.immutable(digest);
    }

    static byte[] manifest(Blob config, Blob layer, Map<String, String> annotations) {
        var manifest = new TreeMap<String, Object>();
        manifest.put("schemaVersion", 2);
        manifest.put("config", descriptor(config));
        manifest.put("layers", List.of(descriptor(layer)));
        if (!annotations.isEmpty()) {
            manifest.put("annotations", annotations);
        }
        try {
            return CANONICAL.writeValueAsBytes(manifest);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of strings and numbers are always JSON", e);
        }
    }

    private static Map<String, Object> descriptor(Blob blob) {
        return Map.of("mediaType", blob.mediaType(), "digest", blob.digest(), "size", blob.bytes().length);
    }

    /** Selects the policy annotations that belong in the manifest. */
    static Map<String, String> manifestAnnotations(Map<String, String> policy) {
        var kept = new TreeMap<String, String>();
        policy.forEach((key, value) -> {
            if (value.strip().lines().count() > 1) {
                log.atWarn().addKeyValue("annotation", key).log("annotation spans several lines and is not pushed");
            } else {
                kept.put(key, value.strip());
            }
        });
        var source = kept.get(POLICY_SOURCE);
        if (source != null) {
            kept.putIfAbsent(IMAGE_SOURCE, source);
        }
        return kept;
    }
}
