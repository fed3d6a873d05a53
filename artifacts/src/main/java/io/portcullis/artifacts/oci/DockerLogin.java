package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.disk.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps passwords for registries where docker keeps them: with the credential helper that {@code config.json} names for the
 * registry, else in the file itself, which only its owner may read. {@link DockerConfig} finds them there.
 */
public final class DockerLogin {

    private static final ObjectMapper JSON = new ObjectMapper();
    /** Docker's own logins are stored under the old address of the hub. */
    private static final String DOCKER_HUB = "https://index.docker.io/v1/";

    private final Path file;
    private final CredentialHelper helper;

    /** @param directory where {@code config.json} is, instead of {@code DOCKER_CONFIG} or the user's own */
    public DockerLogin(Optional<Path> directory, Map<String, String> environment) {
        this.file = directory
                .or(() -> DockerConfig.variable(environment, "DOCKER_CONFIG"))
                .or(() -> DockerConfig.variable(environment, "HOME").map(home -> home.resolve(".docker")))
                .orElseThrow(() -> new ArtifactException(Reason.LOCAL_IO, "no place for config.json: HOME is not set"))
                .resolve("config.json");
        this.helper = new CredentialHelper(environment);
    }

    /** Where passwords are kept, for telling the user: a file, or the name of a helper. */
    public String store(String registry, Credential.Password credential) {
        var config = read();
        var server = server(registry);
        var helperName = helperFor(config, registry);
        if (helperName.isPresent()) {
            var secret = JSON.createObjectNode()
                    .put("ServerURL", server)
                    .put("Username", credential.user())
                    .put("Secret", credential.password());
            tellHelper(helperName.get(), "store", secret.toString());
            return "docker-credential-" + helperName.get();
        }
        var pair = (credential.user() + ":" + credential.password()).getBytes(StandardCharsets.UTF_8);
        config.withObject("/auths")
                .putObject(server)
                .put("auth", Base64.getEncoder().encodeToString(pair));
        write(config);
        return file.toString();
    }

    /** @return whether there was anything to forget */
    public boolean remove(String registry) {
        var config = read();
        var helperName = helperFor(config, registry);
        if (helperName.isPresent()) {
            tellHelper(helperName.get(), "erase", server(registry));
            return true;
        }
        if (!(config.get("auths") instanceof ObjectNode auths) || auths.remove(server(registry)) == null) {
            return false;
        }
        write(config);
        return true;
    }

    private void tellHelper(String name, String verb, String input) {
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
            // The parser's message would quote the file.
        }
        throw new ArtifactException(Reason.LOCAL_IO, file + " is not a docker config; it was left alone");
    }

    private void write(ObjectNode config) {
        var directory = Optional.ofNullable(file.getParent()).orElse(file);
        AtomicFile.at(file, directory).write((config.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
