package io.portcullis.process.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** One hash of the content of several files. For an unreadable file the error is hashed. */
public record FileFingerprint(String hash) {

    public static FileFingerprint of(List<Path> files) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var file : files) {
                digest.update(contentOf(file));
                digest.update((byte) 0);
            }
            return new FileFingerprint(HexFormat.of().formatHex(digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static byte[] contentOf(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            return e.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
