package io.portcullis.artifacts.oci.credentials;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * Stores passwords for registries in docker's places: with the credential helper that {@code config.json} names for
 * the registry, otherwise in {@code config.json} itself, which only its owner can read. {@link DockerConfig} reads
 * them from there.
 */
public final class DockerLogin {

    private static final ObjectMapper JSON = new ObjectMapper();
    /** Docker stores Docker Hub logins under the old address. */
    private static final String DOCKER_HUB = "https://index.docker.io/v1/";

    private final Path file;
    private final CredentialHelper helper;

    /** @param directory the directory of {@code config.json}, instead of {@code DOCKER_CONFIG} or the user's home */
    public DockerLogin(Optional<Path> directory, Map<String, String> environment) {
        this.file = directory
                .or(() -> DockerConfig.variable(environment, "DOCKER_CONFIG"))
                .or(() -> DockerConfig.variable(environment, "HOME").map(home -> home.resolve(".docker")))
                .orElseThrow(() -> new ArtifactException(Reason.LOCAL_IO, "no place for config.json: HOME is not set"))
                .resolve("config.json");
        this.helper = new CredentialHelper(environment);
    }

    /** Stores a password. Returns the location for display: a file, or the name of a helper. */
    public String store(String registry, Credential.Password credential) {
        var config = read();
        var server = server(registry);
        var helperName = helperFor(config, registry);
        if (helperName.isPresent()) {
            var secret = JSON.createObjectNode()
                    .put("ServerURL", server)
                    .put("Username", credential.user())
                    .put("Secret", credential.password());
            runHelper(helperName.get(), "store", secret.toString());
            return "docker-credential-" + helperName.get();
        }
        var pair = (credential.user() + ":" + credential.password()).getBytes(StandardCharsets.UTF_8);
        config.withObject("/auths")
                .putObject(server)
                .put("auth", Base64.getEncoder().encodeToString(pair));
        write(config);
        return file.toString();
    }

    /** @return whether a stored password was removed */
    public boolean remove(String registry) {
        var config = read();
        var helperName = helperFor(config, registry);
        if (helperName.isPresent()) {
            runHelper(helperName.get(), "erase", server(registry));
            return true;
        }
        if (!(config.get("auths") instanceof ObjectNode auths) || auths.remove(server(registry)) == null) {
            return false;
        }
        write(config);
        return true;
    }

    private void runHelper(String name, String verb, String input) {
        if (helper.run(name, verb, input).isEmpty()) {
            throw new ArtifactException(
                    Reason.LOCAL_IO,
                    "docker-credential-" + name + ", which " + file + " names, did not " + verb + " it");
        }
    }

    private static Optional<String> helperFor(JsonNode config, String registry) {
        var own = config.path("credHelpers").path(registry).asText();
        var name = own.isEmpty() ? config.path("credsStore").asText() : own;
        return Optional.of(name).filter(known -> !known.isEmpty());
    }

    private static String server(String registry) {
        return registry.equals("docker.io") ? DOCKER_HUB : registry;
    }

    private ObjectNode read() {
        try {
            if (!Files.isRegularFile(file)) {
                return JSON.createObjectNode();
            }
            if (JSON.readTree(file.toFile()) instanceof ObjectNode config) {
                return config;
            }
        } catch (IOException e) {
            // Omit the parser's message, because it may quote the file.
        }
        throw new ArtifactException(Reason.LOCAL_IO, file + " is not a docker config; it was left alone");
    }

    private void write(ObjectNode config) {
        var directory = Optional.ofNullable(file.getParent()).orElse(file);
        AtomicFile.at(file, directory).write((config.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
