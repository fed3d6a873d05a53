package io.portcullis.kwctl.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/** The format of a log line. */
class LogLineTest {

    private static final Instant TIME = Instant.parse("2026-11-15T18:54:27.087803Z");

    @Test
    void alignsTheLevelAndPutsFieldsLast() {
        var line = LogLine.of(
                TIME,
                Level.INFO,
                "kwctl::verify",
                "Policy successfully verified",
                List.of(new KeyValuePair("a", 1)),
                false);

        assertThat(line)
                .isEqualTo("2026-11-15T18:54:27.087803Z  INFO kwctl::verify: Policy successfully verified a=1\n");
    }

    @Test
    void writesSetsSortedAndQuoted() {
        var fields = List.of(new KeyValuePair("capabilities", Set.of("b", "a")));

        assertThat(LogLine.of(TIME, Level.WARN, "x", "m", fields, false))
                .endsWith("x: m capabilities={\"a\", \"b\"}\n");
    }

    @Test
    void namesOurModulesLikePaths() {
        assertThat(LogLine.of(TIME, Level.DEBUG, "io.portcullis.artifacts.oci.Client", "m", List.of(), false))
                .contains("DEBUG portcullis::artifacts::oci: m");
    }

    @Test
    void colours() {
        assertThat(LogLine.of(TIME, Level.ERROR, "x", "m", List.of(), true)).contains("\u001b[31mERROR\u001b[0m");
    }
}
