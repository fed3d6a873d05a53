package io.portcullis.kwctl.template;

import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs programs of a toolchain in the directory of a policy. */
final class Toolchain {

    private final Path directory;
    private final CommandSession session;

    Toolchain(Path directory, CommandSession session) {
        this.directory = directory;
        this.session = session;
    }

    /** @throws CommandException if the program is not on the PATH; the message ends with {@code advice} */
    Path program(String name, String advice) {
        return Arrays.stream(session.variable("PATH").orElse("").split(Pattern.quote(File.pathSeparator), -1))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(
                        () -> new CommandException("the program '%s' is not on the PATH: %s".formatted(name, advice)));
    }

    /** Shows what the program prints, on standard error, because standard output is for results. */
    void run(Path program, Map<String, String> variables, String... arguments) {
        start(program, variables, List.of(arguments), Optional.empty(), this::show);
    }

    /** Returns what the program prints. */
    String output(Path program, String... arguments) {
        var printed = new StringBuilder();
        start(program, Map.of(), List.of(arguments), Optional.empty(), in -> printed.append(text(in)));
        return printed.toString();
    }

    /** Writes what the program prints on standard output to a file. */
    void writeOutput(Path file, Path program, String... arguments) {
        start(program, Map.of(), List.of(arguments), Optional.of(file), this::show);
    }

    private interface Reader {
        void read(InputStream in) throws IOException;
    }

    private void start(
            Path program, Map<String, String> variables, List<String> arguments, Optional<Path> file, Reader reader) {
        var words = new ArrayList<>(List.of(program.toString()));
        words.addAll(arguments);
        var builder = new ProcessBuilder(words).directory(directory.toFile());
        file.ifPresentOrElse(path -> builder.redirectOutput(path.toFile()), () -> builder.redirectErrorStream(true));
        builder.environment().putAll(session.environment());
        builder.environment().putAll(variables);
        try {
            var process = builder.start();
            process.getOutputStream().close();
            reader.read(file.isPresent() ? process.getErrorStream() : process.getInputStream());
            var status = process.waitFor();
            if (status != 0) {
                throw new CommandException("%s ended with exit code %d: %s"
                        .formatted(program.getFileName(), status, command(program, arguments)));
            }
        } catch (IOException e) {
            throw new CommandException("cannot run " + command(program, arguments), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted while waiting for " + command(program, arguments), e);
        }
    }

    private void show(InputStream in) {
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                .lines()
                .forEach(session.err()::println);
    }

    private static String text(InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String command(Path program, List<String> arguments) {
        return program.getFileName()
                + arguments.stream().map(word -> " " + word).collect(Collectors.joining());
    }
}
