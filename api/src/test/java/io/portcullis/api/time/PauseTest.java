package io.portcullis.api.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PauseTest {

    private static final Instant NOW = Instant.parse("2026-11-16T01:02:03Z");

    @ParameterizedTest(name = "{0} s after the beginning of a pause of 10 s: over {1}")
    @CsvSource({
        "0, false",
        "9, false",
        "10, true",
        "3600, true", // the clock was set forward
        "-1, true", // the clock was set back
        "-3600, true",
    })
    void endsOnTimeAndWhenTheClockIsChanged(long seconds, boolean isOver) {
        assertThat(Pause.of(NOW, Duration.ofSeconds(10)).isOver(NOW.plusSeconds(seconds)))
                .isEqualTo(isOver);
    }
}
