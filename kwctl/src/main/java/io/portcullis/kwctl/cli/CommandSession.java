package io.portcullis.kwctl.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * The environment of one run: variables, working directory, streams, terminal and clock.
 *
 * @param directory the working directory; relative paths in arguments are resolved against it
 */
public record CommandSession(
        Map<String, String> environment, Path directory, Streams streams, Terminal terminal, InstantSource clock) {

    /** The standard streams. Results go to {@code out}, everything else goes to {@code err}. Both write UTF-8. */
    public record Streams(InputStream in, PrintStream out, PrintStream err) {}

    public PrintStream out() {
        return streams.out();
    }

    public PrintStream err() {
        return streams.err();
    }

    /** Returns the value of an environment variable, if it is set and not empty. */
    public Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }

    public Path path(String argument) {
        return directory.resolve(argument).normalize();
    }

    public Directories directories() {
        return Directories.of(environment, System.getProperty("os.name", ""));
    }

    public CommandSession with(Terminal changed) {
        return new CommandSession(environment, directory, streams, changed, clock);
    }
}
