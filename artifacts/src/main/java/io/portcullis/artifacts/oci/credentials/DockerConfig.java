package io.portcullis.artifacts.oci.credentials;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads credentials from docker's {@code config.json} or podman's {@code auth.json}, which has the same format. If
 * anything cannot be found, read or run, access is anonymous, and the registry then reports the missing permission.
 */
public final class DockerConfig implements Credentials {

    private static final Logger log = LoggerFactory.getLogger(DockerConfig.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> DOCKER_HUB = Set.of("docker.io", "index.docker.io", "registry-1.docker.io");

    private final JsonNode config;
    private final CredentialHelper helper;

    DockerConfig(JsonNode config, CredentialHelper helper) {
        this.config = config;
        this.helper = helper;
    }

    /**
     * Reads the first file that exists.
     *
     * @param directory the directory of {@code config.json}, instead of the default locations
     */
    public static Credentials load(Optional<Path> directory, Map<String, String> environment) {
        var explicit =
                directory.or(() -> variable(environment, "DOCKER_CONFIG")).map(given -> given.resolve("config.json"));
        var locations = explicit.map(List::of).orElseGet(() -> defaultLocations(environment));
        for (var file : locations) {
            if (Files.isRegularFile(file)) {
                return new DockerConfig(read(file), new CredentialHelper(environment));
            }
        }
        explicit.ifPresent(file -> log.atWarn()
                .addKeyValue("file", file)
                .log("docker config is missing, registries are asked anonymously"));
        return NONE;
    }

    private static List<Path> defaultLocations(Map<String, String> environment) {
        return Stream.of(
                        variable(environment, "REGISTRY_AUTH_FILE"),
                        variable(environment, "HOME").map(home -> home.resolve(".docker/config.json")),
                        variable(environment, "XDG_RUNTIME_DIR").map(run -> run.resolve("containers/auth.json")))
                .flatMap(Optional::stream)
                .toList();
    }

    static Optional<Path> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isBlank())
                .map(Path::of);
    }

    private static JsonNode read(Path file) {
        try {
            return JSON.readTree(file.toFile());
        } catch (IOException e) {
            // Omit the parser's message, because it may quote the file.
            log.atWarn()
                    .addKeyValue("file", file)
                    .log("docker config cannot be read, registries are asked anonymously");
            return MissingNode.getInstance();
        }
    }

    @Override
    public Credential forRegistry(String registry) {
        return find(registry).orElseGet(Credential.Anonymous::new);
    }

    private Optional<Credential> find(String registry) {
        return entry(config.path("credHelpers"), registry)
                .flatMap(name -> helper.ask(name.asText(), registry))
                .or(() -> entry(config.path("auths"), registry).flatMap(DockerConfig::stored))
                .or(() -> Optional.of(config.path("credsStore").asText())
                        .filter(name -> !name.isEmpty())
                        .flatMap(name -> helper.ask(name, storeKey(registry))));
    }

    private static Optional<JsonNode> entry(JsonNode map, String registry) {
        if (map.has(registry)) {
            return Optional.of(map.get(registry));
        }
        return map.properties().stream()
                .filter(each -> isSame(hostOf(each.getKey()), registry))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static boolean isSame(String key, String registry) {
        return key.equals(registry) || (DOCKER_HUB.contains(key) && DOCKER_HUB.contains(registry));
    }

    private static String hostOf(String key) {
        return key.replaceFirst("^https?://", "").replaceFirst("/.*", "");
    }

    /** Returns the key in the credential store. Docker stores Docker Hub logins under the old address. */
    private static String storeKey(String registry) {
        return DOCKER_HUB.contains(registry) ? "https://index.docker.io/v1/" : registry;
    }

    private static Optional<Credential> stored(JsonNode entry) {
        var token = entry.path("identitytoken").asText();
        if (!token.isEmpty()) {
            return Optional.of(new Credential.IdentityToken(token));
        }
        return decode(entry.path("auth").asText());
    }

    private static Optional<Credential> decode(String auth) {
        try {
            // The decoder accepts input with and without padding.
            var pair = new String(Base64.getDecoder().decode(auth.strip()), StandardCharsets.UTF_8);
            var colon = pair.indexOf(':');
            return colon < 1
                    ? Optional.empty()
                    : Optional.of(new Credential.Password(pair.substring(0, colon), pair.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            log.atDebug().log("an auth entry of the docker config is not base64");
            return Optional.empty();
        }
    }
}
