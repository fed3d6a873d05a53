package io.portcullis.kwctl;

import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs the real program through its launcher. {@code ./portcullis test} builds it first. */
public final class KwctlProcess {

    public static final String LAUNCHER = program("kwctl");

    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();

    /** Creates a process with its own home in {@code directory}, which is also its working directory. */
    public KwctlProcess(Path directory) {
        this.directory = directory;
        environment.put("HOME", directory.resolve("home").toString());
        environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        environment.put("XDG_CONFIG_HOME", directory.resolve("config").toString());
        environment.put("KUBECONFIG", "");
    }

    public static String program(String name) {
        return Path.of("..", "dist", "bin", name).toAbsolutePath().normalize().toString();
    }

    public KwctlProcess with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public KwctlRunner.Result run(String... words) {
        return shell(line(words));
    }

    /** Runs any program in the same environment. */
    public KwctlRunner.Result shell(List<String> line) {
        var err = directory.resolve("stderr");
        var builder = new ProcessBuilder(line).directory(directory.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        builder.environment().remove("RUST_BACKTRACE");
        try {
            var process = builder.start();
            process.getOutputStream().close();
            var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new KwctlRunner.Result(process.waitFor(), out, Files.readString(err));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Starts a process in the background until it is closed. */
    public RunningProgram start(String... words) {
        return RunningProgram.start(directory.resolve("output"), line(words), environment);
    }

    private static List<String> line(String... words) {
        var line = new ArrayList<>(List.of(LAUNCHER));
        line.addAll(List.of(words));
        return line;
    }
}
