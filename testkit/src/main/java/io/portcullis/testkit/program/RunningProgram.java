package io.portcullis.testkit.program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * A program that runs during a test. Its output goes to a file. A test can wait for its readiness and inject faults
 * into it. {@link #close()} ends it. Several programs can run at once, such as replicas of one server.
 */
public final class RunningProgram implements AutoCloseable {

    private static final Duration GRACE = Duration.ofSeconds(20);

    private final String name;
    private final Process process;
    private final Path log;

    private RunningProgram(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts the program and returns at once.
     *
     * @param log receives standard output and error
     * @param words the program and its arguments
     * @param environment variables in addition to our own environment
     */
    public static RunningProgram start(Path log, List<String> words, Map<String, String> environment) {
        var name = String.valueOf(Path.of(words.getFirst()).getFileName());
        var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        try {
            return new RunningProgram(name, builder.start(), log);
        } catch (IOException e) {
            throw new ShellCommandException("cannot start " + words + ": " + e.getMessage(), e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the output so far. */
    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + log, e);
        }
    }

    /** Waits until a line of the output contains the pattern. */
    public RunningProgram awaitOutput(String regex, Duration limit) {
        var pattern = Pattern.compile(regex);
        return await("printed " + regex, limit, () -> pattern.matcher(output()).find());
    }

    /** Waits until the program accepts connections on a loopback port. */
    public RunningProgram awaitPort(int port, Duration limit) {
        return awaitPort(InetAddress.getLoopbackAddress().getHostAddress(), port, limit);
    }

    /** Waits until the program listens on a port of an address of this machine. */
    public RunningProgram awaitPort(String address, int port, Duration limit) {
        return await("listened on port " + port, limit, () -> {
            try (var socket = new Socket(address, port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Waits until a GET request returns a status code, such as 200 from a readiness probe. */
    public RunningProgram awaitAnswer(HttpClient http, URI uri, int status, Duration limit) {
        var request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build();
        return await("answered " + uri + " with " + status, limit, () -> {
            try {
                return http.send(request, BodyHandlers.discarding()).statusCode() == status;
            } catch (IOException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ShellCommandException("interrupted while waiting for " + uri, e);
            }
        });
    }

    private RunningProgram await(String what, Duration limit, BooleanSupplier check) {
        var deadline = System.nanoTime() + limit.toNanos();
        while (!check.getAsBoolean()) {
            if (!process.isAlive()) {
                throw new ShellCommandException(name + " ended with " + process.exitValue() + " before it had " + what
                        + "; its output: " + output());
            }
            if (System.nanoTime() > deadline) {
                throw new ShellCommandException(
                        name + " had not " + what + " after " + limit.toSeconds() + " s; its output: " + output());
            }
            pollPause();
        }
        return this;
    }

    private static void pollPause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShellCommandException("interrupted while waiting for a program", e);
        }
    }

    /** Waits until the program ends by itself and returns its exit code. */
    public int awaitExit(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new ShellCommandException(
                        name + " had not ended after " + limit.toSeconds() + " s; its output: " + output());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShellCommandException("interrupted while waiting for the end of " + name, e);
        }
    }

    /** Sends SIGTERM, waits for the end of the program and returns its exit code. */
    public int terminate() {
        process.destroy();
        return awaitEnd();
    }

    /** Kills the program without a chance to clean up (SIGKILL). */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /**
     * Suspends the program (SIGSTOP). It keeps its sockets and memory, and does not respond until {@link #resume()}.
     */
    public void pause() {
        signal("STOP");
    }

    /** Continues a suspended program (SIGCONT). */
    public void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        ShellCommand.of("kill", "-" + signal, Long.toString(pid())).run();
    }

    private int awaitEnd() {
        try {
            if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                process.waitFor();
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new ShellCommandException("interrupted while " + name + " was ending", e);
        }
    }

    /** Ends the program, suspended or not. */
    @Override
    public void close() {
        if (isAlive()) {
            resume();
            terminate();
        }
    }
}
