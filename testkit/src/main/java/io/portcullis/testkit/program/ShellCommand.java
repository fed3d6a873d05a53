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
 * One run of another program to its end, within a time limit.
 *
 * @param words the program and its arguments
 * @param environment what is added to our own environment
 * @param limit how long it may take before it is killed
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

    /** Runs it and returns its standard output; any exit code but 0 is an exception that carries what it printed. */
    public String run() {
        var outcome = attempt();
        if (!outcome.succeeded()) {
            throw new ShellCommandException(this + " ended with " + outcome.exitCode() + ": " + outcome.errors());
        }
        return outcome.output();
    }

    /** Runs it and returns how it ended, be it good or bad. */
    public Outcome attempt() {
        return attempt(file -> ProcessBuilder.Redirect.to(file.toFile()));
    }

    /** Runs it with its standard error, where progress is told, passed on to ours. */
    public Outcome attemptAloud() {
        return attempt(_ -> ProcessBuilder.Redirect.INHERIT);
    }

    private Outcome attempt(Function<Path, ProcessBuilder.Redirect> errorsTo) {
        // Files, not pipes: a daemon that the command leaves behind may inherit them, and a pipe would never end.
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
     * How a command ended.
     *
     * @param exitCode 0 for success
     * @param output its standard output, stripped
     * @param errors its standard error, stripped; empty if it was passed on
     */
    public record Outcome(int exitCode, String output, String errors) {

        public boolean succeeded() {
            return exitCode == 0;
        }
    }
}
