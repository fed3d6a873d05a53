package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs {@code docker-credential-<name>}: of {@code get} the server's name goes in, a user and a secret come out. */
final class CredentialHelper {

    private static final Logger log = LoggerFactory.getLogger(CredentialHelper.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");
    private static final int LONGEST_ANSWER = 1 << 16;
    private static final long SECONDS = 30;

    private final Map<String, String> environment;

    CredentialHelper(Map<String, String> environment) {
        this.environment = environment;
    }

    Optional<Credential> ask(String name, String server) {
        return run(name, "get", server).flatMap(answer -> parse(name, answer));
    }

    /** @return what the helper printed; empty when it could not be run, or failed */
    Optional<byte[]> run(String name, String verb, String input) {
        if (!NAME.matcher(name).matches()) {
            return nothing(name, "not a name of a helper");
        }
        var program = find("docker-credential-" + name);
        if (program.isEmpty()) {
            return nothing(name, "is not on the PATH");
        }
        var builder = new ProcessBuilder(program.get().toString(), verb).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            return nothing(name, "cannot be started");
        }
        // Ends a helper that waits for someone to type; reading then sees the end.
        var guard = Thread.startVirtualThread(() -> endLater(process));
        try {
            tell(process, input);
            var answer = process.getInputStream().readNBytes(LONGEST_ANSWER);
            return process.waitFor() == 0 ? Optional.of(answer) : nothing(name, "knows nothing about it");
        } catch (IOException e) {
            return nothing(name, "broke off");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return nothing(name, "interrupted");
        } finally {
            guard.interrupt();
            process.destroyForcibly();
        }
    }

    private static void tell(Process process, String server) {
        try (var in = process.getOutputStream()) {
            in.write(server.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A helper for one server only need not listen; its answer counts.
        }
    }

    private Optional<Path> find(String program) {
        return Arrays.stream(environment.getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator), -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static void endLater(Process process) {
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            // The helper answered in time.
        }
    }

    private static Optional<Credential> parse(String name, byte[] answer) {
        JsonNode json;
        try {
            json = JSON.readTree(answer);
        } catch (IOException e) {
            return nothing(name, "answered no JSON");
        }
        var user = json.path("Username").asText();
        var secret = json.path("Secret").asText();
        if (user.isEmpty() || secret.isEmpty()) {
            return nothing(name, "answered without user or secret");
        }
        return Optional.of(
                user.equals("<token>") ? new Credential.IdentityToken(secret) : new Credential.Password(user, secret));
    }

    private static <T> Optional<T> nothing(String name, String why) {
        log.atDebug().addKeyValue("helper", name).addKeyValue("error", why).log("credential helper gave nothing");
        return Optional.empty();
    }
}
