package io.portcullis.artifacts.store;

import io.portcullis.artifacts.source.Digest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Digest and resolved URL of a stored policy. The receipt detects a damaged file, and maps a tag to its manifest,
 * without network access.
 *
 * @param resolvedUrl the URL with the manifest digest
 */
public record Receipt(String digest, String resolvedUrl) {

    byte[] bytes() {
        return (digest + "\n" + resolvedUrl + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Reads a receipt. Returns empty if there is none, for example for policies that another kwctl stored. */
    static Optional<Receipt> read(Path file) {
        try {
            return parse(Files.readAllLines(file));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<Receipt> parse(List<String> lines) {
        return lines.size() == 2 && Digest.isDigest(lines.getFirst())
                ? Optional.of(new Receipt(lines.getFirst(), lines.getLast()))
                : Optional.empty();
    }
}
