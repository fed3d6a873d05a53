package io.portcullis.kwctl;

import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.CommandSession.Streams;
import io.portcullis.kwctl.cli.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs command lines in this process, with their own directories and streams. */
public final class KwctlRunner {

    public static final Instant NOW = Instant.parse("2026-11-15T18:54:27.087803Z");

    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private Terminal terminal = Terminal.NONE;
    private String input = "";

    /** The result of a command line. */
    public record Result(int code, String out, String err) {}

    public KwctlRunner(Path directory) {
        this.directory = directory;
        environment.put("HOME", directory.resolve("home").toString());
        environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        environment.put("XDG_CONFIG_HOME", directory.resolve("config").toString());
    }

    public KwctlRunner with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public KwctlRunner inTerminal() {
        terminal = new Terminal(true, true, 100);
        return this;
    }

    public KwctlRunner input(String text) {
        input = text;
        return this;
    }

    public Path directory() {
        return directory;
    }

    public Path store() {
        return directory.resolve("cache/kubewarden/store");
    }

    public Result run(String... words) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var streams = new Streams(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, false, StandardCharsets.UTF_8),
                new PrintStream(err, false, StandardCharsets.UTF_8));
        var session = new CommandSession(environment, directory, streams, terminal, InstantSource.fixed(NOW));
        var code = new Kwctl(Commands.tree(), session).run(List.of(words));
        return new Result(code.number(), out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
