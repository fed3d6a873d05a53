package io.portcullis.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JazzerOutputTest {

    @Test
    void readsACleanRun() {
        var output = JazzerOutput.parse(List.of(
                "INFO: Loaded 2 hooks",
                "#2\tINITED cov: 2 ft: 2 corp: 1/1b exec/s: 0 rss: 700Mb",
                "#60230\tDONE   cov: 40 ft: 90 corp: 30/1Kb exec/s: 3764 rss: 800Mb",
                "Done 60230 runs in 16 second(s)"));

        assertThat(output).isEqualTo(new JazzerOutput(60230, 16, Optional.empty(), Optional.empty()));
        assertThat(output.perSecond()).isEqualTo(3764);
    }

    @Test
    void readsAFinding() {
        var output = JazzerOutput.parse(List.of(
                "#512\tNEW    cov: 2",
                "== Java Exception: java.lang.IndexOutOfBoundsException: Index 5",
                "\tat io.portcullis.X",
                "artifact_prefix='/tmp/f/'; Test unit written to /tmp/f/crash-0a1b"));

        assertThat(output.executions()).isEqualTo(512);
        assertThat(output.finding()).contains("java.lang.IndexOutOfBoundsException: Index 5");
        assertThat(output.reproducer()).contains("/tmp/f/crash-0a1b");
    }

    @Test
    void readsATimeout() {
        var output = JazzerOutput.parse(List.of(
                "==4711== ERROR: libFuzzer: timeout after 25 seconds", "Test unit written to /tmp/f/timeout-0a1b"));

        assertThat(output.finding()).contains("libFuzzer: timeout after 25 seconds");
        assertThat(output.reproducer()).contains("/tmp/f/timeout-0a1b");
    }
}
