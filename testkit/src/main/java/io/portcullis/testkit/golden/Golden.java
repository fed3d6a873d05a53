package io.portcullis.testkit.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares texts with golden files. {@code -Dgolden.update=true} rewrites the files.
 *
 * @param directory the directory of the golden files
 */
public record Golden(Path directory) {

    private static final int SHOWN = 6;

    /** Fails with the first different lines if the text differs from the file. */
    public void matches(String name, String actual) {
        var file = directory.resolve(name);
        try {
            if (Boolean.getBoolean("golden.update")) {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Files.writeString(file, actual);
            }
            var expected = Files.exists(file) ? Files.readString(file) : "";
            if (!expected.equals(actual)) {
                throw new AssertionError("%s differs (rewrite with -Dgolden.update=true and review the diff)%s"
                        .formatted(file, difference(expected, actual)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String difference(String expected, String actual) {
        var wanted = expected.lines().toList();
        var got = actual.lines().toList();
        int line = 0;
        while (line < wanted.size() && line < got.size() && wanted.get(line).equals(got.get(line))) {
            line++;
        }
        return "\nat line %d expected:\n%s\nbut was:\n%s"
                .formatted(
                        line + 1,
                        String.join(
                                "\n", wanted.stream().skip(line).limit(SHOWN).toList()),
                        String.join("\n", got.stream().skip(line).limit(SHOWN).toList()));
    }
}
