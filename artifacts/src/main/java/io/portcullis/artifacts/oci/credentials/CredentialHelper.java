package io.portcullis.artifacts.oci.credentials;

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

/**
 * Runs {@code docker-credential-<name>}. For {@code get}, the input is the server name and the output is a user and a
 * secret.
 */
final class CredentialHelper {

    private static final Logger log = LoggerFactory.getLogger(CredentialHelper.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");
    private static final int MAX_OUTPUT_BYTES = 1 << 16;
    private static final long TIMEOUT_SECONDS = 30;

    private final Map<String, String> environment;

    CredentialHelper(Map<String, String> environment) {
        this.environment = environment;
    }

    Optional<Credential> ask(String name, String server) {
        return run(name, "get", server).flatMap(output -> parse(name, output));
    }

    /** @return the helper's output; empty if the helper did not start or failed */
    Optional<byte[]> run(String name, String verb, String input) {
        if (!NAME.matcher(name).matches()) {
            return failed(name, "not a name of a helper");
        }
        var program = find("docker-credential-" + name);
        if (program.isEmpty()) {
            return failed(name, "is not on the PATH");
        }
        var builder = new ProcessBuilder(program.get().toString(), verb).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            return failed(name, "cannot be started");
        }
        // Kill a helper that waits for user input; the read below then ends.
        var watchdog = Thread.startVirtualThread(() -> killAfterTimeout(process));
        try {
            writeInput(process, input);
            var output = process.getInputStream().readNBytes(MAX_OUTPUT_BYTES);
            return process.waitFor() == 0 ? Optional.of(output) : failed(name, "exited with a failure");
        } catch (IOException e) {
            return failed(name, "closed its output early");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(name, "interrupted");
        } finally {
            watchdog.interrupt();
            process.destroyForcibly();
        }
    }

    private static void writeInput(Process process, String server) {
        try (var in = process.getOutputStream()) {
            in.write(server.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A helper for a single server may close its input; only its output matters.
        }
    }

    private Optional<Path> find(String program) {
        return Arrays.stream(environment.getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator), -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static void killAfterTimeout(Process process) {
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            // The helper finished in time.
        }
    }

    private static Optional<Credential> parse(String name, byte[] output) {
        JsonNode json;
        try {
            json = JSON.readTree(output);
        } catch (IOException e) {
            return failed(name, "answered no JSON");
        }
        var user = json.path("Username").asText();
        var secret = json.path("Secret").asText();
        if (user.isEmpty() || secret.isEmpty()) {
            return failed(name, "answered without user or secret");
        }
        return Optional.of(
                user.equals("<token>") ? new Credential.IdentityToken(secret) : new Credential.Password(user, secret));
    }

    private static <T> Optional<T> failed(String name, String why) {
        log.atDebug().addKeyValue("helper", name).addKeyValue("error", why).log("credential helper failed");
        return Optional.empty();
    }
}
