package io.portcullis.api.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares text with golden files, which a reviewer can read and diff. {@code -Dgolden.update=true} rewrites them. */
public final class Golden {

    private static final Path DIRECTORY = Path.of("src/test/resources/golden");

    private Golden() {}

    public static Path file(String name) {
        return DIRECTORY.resolve(name);
    }

    public static void matches(String name, String actual) {
        var file = file(name);
        try {
            if (Boolean.getBoolean("golden.update")) {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Files.writeString(file, actual);
            }
            assertThat(actual)
                    .as("%s (rewrite with -Dgolden.update=true and review the diff)", file)
                    .isEqualTo(Files.exists(file) ? Files.readString(file) : "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
