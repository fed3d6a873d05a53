package io.portcullis.api.lifecycle;

import io.portcullis.api.testing.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stories of a policy's life, as files under {@code golden/lifecycle}. A line {@code > …} is what happens; below it stands
 * what the controller writes, the status it derives and the Events users see. Lines with {@code #} explain.
 */
class TranscriptTest {

    static Stream<String> stories() throws IOException {
        try (var files = Files.list(Golden.file("lifecycle"))) {
            return files.map(Path::getFileName).map(Path::toString).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("stories")
    void goesAsWritten(String story) throws IOException {
        var narrator = new Narrator();
        var text = new StringBuilder();
        boolean explained = false;
        for (String line : Files.readAllLines(Golden.file("lifecycle/" + story))) {
            if (!line.startsWith("#") && !line.startsWith("> ")) {
                continue;
            }
            if (!explained && !text.isEmpty()) {
                text.append('\n');
            }
            text.append(line).append('\n');
            explained = line.startsWith("#");
            if (!explained) {
                narrator.tell(line.substring(2))
                        .forEach(told -> text.append(told.stripTrailing()).append('\n'));
            }
        }
        Golden.matches("lifecycle/" + story, text.toString());
    }
}
