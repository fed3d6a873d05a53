package io.portcullis.audit.scan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScanProgressTest {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private String run(boolean visible) {
        try (var progress = new ScanProgress(new PrintStream(bytes, true, StandardCharsets.UTF_8), visible)) {
            progress.following(4);
            for (int i = 0; i < 4; i++) {
                progress.found();
                progress.following(-1);
                progress.evaluated();
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void drawsABarOnATerminalAndClearsIt() {
        assertThat(run(true))
                .contains("Auditing [#######-----------------------] 1 / 4 objects")
                .contains("4 / 4 objects")
                .endsWith("\r\u001b[K");
    }

    @Test
    void writesNothingToALogFile() {
        assertThat(run(false)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "1, 0, 0", "5, 10, 15", "10, 10, 30", "12, 10, 30"})
    void fillsTheBarInProportion(long done, long total, int filled) {
        assertThat(ScanProgress.line(done, total).chars().filter(c -> c == '#').count())
                .isEqualTo(filled);
    }
}
