package io.portcullis.core.lifecycle;

import io.portcullis.testkit.golden.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replays lifecycle transcripts from {@code golden/lifecycle}. A line {@code > …} is an event. The lines below it list the
 * writes of the controller, the derived status and the Kubernetes Events. Lines with {@code #} are comments.
 */
class TranscriptTest {

    private static final Golden TRANSCRIPTS = new Golden(Path.of("src/test/resources/golden/lifecycle"));

    static Stream<String> transcripts() throws IOException {
        try (var files = Files.list(TRANSCRIPTS.directory())) {
            return files.map(Path::getFileName).map(Path::toString).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void matchesTheTranscript(String transcript) throws IOException {
        var narrator = new Narrator();
        var text = new StringBuilder();
        boolean isComment = false;
        for (String line : Files.readAllLines(TRANSCRIPTS.directory().resolve(transcript))) {
            if (!line.startsWith("#") && !line.startsWith("> ")) {
                continue;
            }
            if (!isComment && !text.isEmpty()) {
                text.append('\n');
            }
            text.append(line).append('\n');
            isComment = line.startsWith("#");
            if (!isComment) {
                narrator.execute(line.substring(2))
                        .forEach(result -> text.append(result.stripTrailing()).append('\n'));
            }
        }
        TRANSCRIPTS.matches(transcript, text.toString());
    }
}
