package io.portcullis.kwctl.bench;

import io.portcullis.kwctl.cli.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Stores the samples of this run and the previous run, one number per line: {@code
 * <directory>/<label>/{current,old}-sample}.
 */
public record SampleFiles(Path directory) {

    /** Stores the samples as current. The samples that were current before become old; returns them. */
    public Optional<double[]> replace(String label, double[] samples) {
        var current = directory.resolve(label).resolve("current-sample");
        try {
            Files.createDirectories(directory.resolve(label));
            var before = Files.isRegularFile(current) ? Optional.of(read(current)) : Optional.<double[]>empty();
            if (before.isPresent()) {
                Files.move(current, current.resolveSibling("old-sample"), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.writeString(
                    current,
                    Arrays.stream(samples).mapToObj(value -> value + "\n").collect(Collectors.joining()));
            return before.filter(values -> values.length > 0);
        } catch (IOException e) {
            throw new CommandException("cannot keep the samples in " + directory, e);
        } catch (NumberFormatException e) {
            throw new CommandException("the samples in " + current + " are not numbers; remove the file", e);
        }
    }

    private static double[] read(Path file) throws IOException {
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> !line.isBlank())
                    .mapToDouble(Double::parseDouble)
                    .toArray();
        }
    }
}
