package io.portcullis.server.preparation.quarantine;

import io.portcullis.server.preparation.quarantine.Quarantine.Entry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores quarantined modules in a text file, so that a restarted server does not retry them at once. Each line contains
 * digest, circumstances, failures, end of the backoff and message, separated by tabs. A damaged line is skipped.
 */
public final class QuarantineFile implements Quarantine.Store {

    private static final Logger log = LoggerFactory.getLogger(QuarantineFile.class);
    private static final int MAX_BYTES = 1 << 20;
    private static final int FIELDS = 5;
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

    private final Path file;

    public QuarantineFile(Path file) {
        this.file = file;
    }

    /** Returns the quarantine file of a server that stores compiled modules in this directory. */
    public static Path in(Path directory) {
        return directory.resolve("quarantine.tsv");
    }

    @Override
    public List<Entry> read() {
        try (var in = Files.newInputStream(file)) {
            return parse(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("error", e.toString())
                    .log("quarantine file is not readable");
            return List.of();
        }
    }

    static List<Entry> parse(String text) {
        return text.lines()
                .map(QuarantineFile::parseLine)
                .flatMap(Optional::stream)
                .limit(Quarantine.MAX_ENTRIES)
                .toList();
    }

    private static Optional<Entry> parseLine(String line) {
        var fields = line.split("\t", FIELDS);
        if (fields.length < FIELDS || !DIGEST.matcher(fields[0]).matches()) {
            return Optional.empty();
        }
        try {
            var failures = Integer.parseInt(fields[2]);
            return failures < 1
                    ? Optional.empty()
                    : Optional.of(new Entry(fields[0], fields[1], failures, Instant.parse(fields[3]), fields[4]));
        } catch (NumberFormatException | DateTimeException e) {
            return Optional.empty();
        }
    }

    static String format(Collection<Entry> entries) {
        return entries.stream()
                .map(entry -> String.join(
                        "\t",
                        entry.digest(),
                        entry.circumstances(),
                        Integer.toString(entry.failures()),
                        entry.until().toString(),
                        CONTROL.matcher(entry.message()).replaceAll(" ")))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** Writes the file. Only logs a failure, because the quarantine still applies in this process. */
    @Override
    public boolean write(Collection<Entry> entries) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            var temporary = Files.createTempFile(file.toAbsolutePath().getParent(), "quarantine", ".tmp");
            try {
                Files.writeString(temporary, format(entries));
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(temporary);
            }
            return true;
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("error", e.toString())
                    .log("quarantine file is not written");
            return false;
        }
    }
}
