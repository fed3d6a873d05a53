package io.portcullis.kwctl.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * The world around one run of the program.
 *
 * @param directory the working directory; relative paths of arguments start there
 */
public record CommandSession(
        Map<String, String> environment, Path directory, Streams streams, Terminal terminal, InstantSource clock) {

    /** Results go to {@code out}, all else to {@code err}. Both write UTF-8. */
    public record Streams(InputStream in, PrintStream out, PrintStream err) {}

    public PrintStream out() {
        return streams.out();
    }

    public PrintStream err() {
        return streams.err();
    }

    /** A variable that is set and not empty. */
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
