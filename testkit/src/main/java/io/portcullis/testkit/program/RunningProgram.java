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
 * A program that runs beside a test: its output goes to a file, the test waits until it is ready, and may hurt it. Ends
 * with {@link #close()}, at the latest. Several may run at once, such as replicas of one server.
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
     * Starts it; does not wait for anything.
     *
     * @param log receives standard output and error
     * @param words the program and its arguments
     * @param environment what is added to our own environment
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

    /** What it has printed so far. */
    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + log, e);
        }
    }

    /** Waits until a line of its output contains the pattern. */
    public RunningProgram awaitOutput(String regex, Duration limit) {
        var pattern = Pattern.compile(regex);
        return await("printed " + regex, limit, () -> pattern.matcher(output()).find());
    }

    /** Waits until it accepts connections on a port of loopback. */
    public RunningProgram awaitPort(int port, Duration limit) {
        return awaitPort(InetAddress.getLoopbackAddress().getHostAddress(), port, limit);
    }

    /** Waits until it listens on a port of an address of this machine. */
    public RunningProgram awaitPort(String address, int port, Duration limit) {
        return await("listened on port " + port, limit, () -> {
            try (var socket = new Socket(address, port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Waits until a GET is answered with a status code, such as 200 by a readiness probe. */
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
            rest();
        }
        return this;
    }

    private static void rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShellCommandException("interrupted while waiting for a program", e);
        }
    }

    /** Waits until it ends by itself; its exit code. */
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

    /** Asks it to end (SIGTERM) and waits; returns its exit code. */
    public int terminate() {
        process.destroy();
        return awaitEnd();
    }

    /** Kills it without a chance to clean up (SIGKILL). */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Stops it in its tracks (SIGSTOP): it keeps its sockets and memory, and answers nothing until {@link #resume()}. */
    public void pause() {
        signal("STOP");
    }

    /** Lets a paused program go on (SIGCONT). */
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

    /** Ends it, paused or not. */
    @Override
    public void close() {
        if (isAlive()) {
            resume();
            terminate();
        }
    }
}
