package io.portcullis.testkit.program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A command that runs to its end within a time limit.
 *
 * @param words the program and its arguments
 * @param environment variables in addition to our own environment
 * @param limit the time after which the process is killed
 */
public record ShellCommand(List<String> words, Map<String, String> environment, Duration limit) {

    private static final Duration DEFAULT_LIMIT = Duration.ofMinutes(1);

    public ShellCommand {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    public static ShellCommand of(String... words) {
        return of(Arrays.asList(words));
    }

    public static ShellCommand of(List<String> words) {
        return new ShellCommand(words, Map.of(), DEFAULT_LIMIT);
    }

    public ShellCommand with(String variable, String value) {
        var more = new HashMap<>(environment);
        more.put(variable, value);
        return new ShellCommand(words, more, limit);
    }

    public ShellCommand within(Duration newLimit) {
        return new ShellCommand(words, environment, newLimit);
    }

    /** Runs the command and returns its standard output. A non-zero exit code throws an exception with the output. */
    public String run() {
        var outcome = attempt();
        if (!outcome.succeeded()) {
            throw new ShellCommandException(this + " ended with " + outcome.exitCode() + ": " + outcome.errors());
        }
        return outcome.output();
    }

    /** Runs the command and returns its outcome. A non-zero exit code does not throw. */
    public Outcome attempt() {
        return attempt(file -> ProcessBuilder.Redirect.to(file.toFile()));
    }

    /** Runs the command with inherited standard error, so that its progress is visible. */
    public Outcome attemptWithInheritedErrors() {
        return attempt(_ -> ProcessBuilder.Redirect.INHERIT);
    }

    private Outcome attempt(Function<Path, ProcessBuilder.Redirect> errorsTo) {
        // Files instead of pipes: a daemon that the command starts may inherit them, and a pipe would then never end.
        Path output = temporary();
        Path errors = temporary();
        try {
            var builder = new ProcessBuilder(words)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(output.toFile())
                    .redirectError(errorsTo.apply(errors));
            builder.environment().putAll(environment);
            var process = builder.start();
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
                throw new ShellCommandException(this + " took longer than " + limit.toSeconds() + " s; it had printed: "
                        + text(output) + text(errors));
            }
            return new Outcome(process.exitValue(), text(output), text(errors));
        } catch (IOException e) {
            throw new ShellCommandException("cannot start " + this + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShellCommandException("interrupted while waiting for " + this, e);
        } finally {
            delete(output);
            delete(errors);
        }
    }

    private static Path temporary() {
        try {
            return Files.createTempFile("command", ".out");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a file for the output of a command", e);
        }
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + file, e);
        }
    }

    @Override
    public String toString() {
        return '`' + String.join(" ", words) + '`';
    }

    /**
     * The outcome of a command.
     *
     * @param exitCode 0 for success
     * @param output its standard output, stripped
     * @param errors its standard error, stripped; empty if it was inherited
     */
    public record Outcome(int exitCode, String output, String errors) {

        public boolean succeeded() {
            return exitCode == 0;
        }
    }
}
