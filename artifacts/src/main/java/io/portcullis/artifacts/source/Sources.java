package io.portcullis.artifacts.source;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Connection settings per host from {@code sources.yml}. Hosts are {@code host[:port]}, compared exactly.
 *
 * @param insecure hosts that also allow unverified TLS and then plain HTTP
 * @param authorities extra certificate authorities, each for one host only
 */
public record Sources(Set<String> insecure, Map<String, List<X509Certificate>> authorities, Proxies proxies) {

    public static final Sources DEFAULT = new Sources(Set.of(), Map.of(), Proxies.NONE);

    public Sources {
        insecure = Set.copyOf(insecure);
        authorities = Map.copyOf(authorities);
    }

    /** Returns the settings that apply without a {@code sources.yml}. */
    public static Sources fromEnvironment(Map<String, String> environment) {
        return new Sources(Set.of(), Map.of(), Proxies.fromEnvironment(environment));
    }

    /** Reads the file. Its proxies take precedence over the environment. */
    public static Sources load(Path file, Map<String, String> environment) {
        try {
            var root = new YAMLMapper().readTree(Files.readString(file));
            return root.isMissingNode() || root.isNull() ? fromEnvironment(environment) : parse(root, environment);
        } catch (IOException | ArtifactException e) {
            throw new ArtifactException(
                    Reason.INVALID_REFERENCE, "error while loading sources from " + file + ": " + e.getMessage(), e);
        }
    }

    private static Sources parse(JsonNode root, Map<String, String> environment) throws IOException {
        if (!root.isObject()) {
            throw new IOException("not a map");
        }
        var insecure = new HashSet<String>();
        for (var host : listAt(root, "insecure_sources")) {
            insecure.add(host.asText());
        }
        var authorities = new HashMap<String, List<X509Certificate>>();
        for (var entry : root.path("source_authorities").properties()) {
            var certificates = new ArrayList<X509Certificate>();
            for (var authority : entry.getValue()) {
                certificates.addAll(authority(authority));
            }
            authorities.put(entry.getKey(), List.copyOf(certificates));
        }
        var proxies = root.hasNonNull("proxies")
                ? Proxies.fromYaml(root.get("proxies"))
                : Proxies.fromEnvironment(environment);
        return new Sources(insecure, authorities, proxies);
    }

    private static JsonNode listAt(JsonNode root, String key) throws IOException {
        var node = root.path(key);
        if (!node.isMissingNode() && !node.isNull() && !node.isArray()) {
            throw new IOException(key + " is not a list");
        }
        return node;
    }

    private static List<X509Certificate> authority(JsonNode node) throws IOException {
        return switch (node.path("type").asText()) {
            case "Path" ->
                CertificateAuthorities.parse(read(Path.of(node.path("path").asText())));
            case "Data" ->
                CertificateAuthorities.parse(node.path("data").asText().getBytes(StandardCharsets.UTF_8));
            case String other -> throw new IOException("unknown type of source authority: \"" + other + "\"");
        };
    }

    private static byte[] read(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IOException("Cannot read certificate from file: " + file, e);
        }
    }
}
