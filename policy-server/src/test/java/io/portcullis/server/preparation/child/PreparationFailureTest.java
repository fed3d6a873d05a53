package io.portcullis.server.preparation.child;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.server.preparation.child.PreparationFailure.Cause;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreparationFailureTest {

    private static final PreparationLimits LIMITS =
            new PreparationLimits(200L << 20, Duration.ofSeconds(25), 29L << 20, 1);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3   | Terminating due to java.lang.OutOfMemoryError: Java heap space | MEMORY",
                "3   | ''                                                            | MEMORY",
                "134 | memory allocation of 67108864 bytes failed                     | MEMORY",
                "1   | # There is insufficient memory for the Java Runtime Environment| MEMORY",
                "134 | Cannot allocate memory (os error 12)                           | MEMORY",
                "152 | ''                                                            | CPU_TIME",
                "137 | ''                                                            | CRASH",
                "134 | thread panicked                                                | CRASH",
                "139 | ''                                                            | CRASH",
                "1   | Exception in thread main                                       | CRASH",
            })
    void namesTheCauseOfAnExit(int exitCode, String errors, Cause cause) {
        assertThat(PreparationFailure.ofExit(OptionalInt.of(exitCode), errors, LIMITS)
                        .cause())
                .isEqualTo(cause);
    }

    @Test
    void namesTheLimitItsValueAndTheFlag() {
        assertThat(PreparationFailure.memory(LIMITS).message()).contains("200 MiB", "--preparation-memory");
        assertThat(PreparationFailure.timeout(LIMITS).message()).contains("25 s", "--preparation-timeout");
        assertThat(PreparationFailure.cpuTime(LIMITS).message())
                .contains(LIMITS.cpuSeconds() + " s", "--preparation-timeout");
        assertThat(PreparationFailure.compiledSize(LIMITS).message()).contains("29 MiB", "--compiled-code-memory");
        assertThat(PreparationFailure.ofExit(OptionalInt.of(137), "", LIMITS).message())
                .contains("spec.limits.memory");
    }

    /** All values are seconds; the timeout is 25. */
    @ParameterizedTest
    @CsvSource({"24, 24, false", "25, 13, true", "25, 40, true", "25, 12, false", "99, 0, false", "100, 0, true"})
    void aBusyMachineDoesNotMakeModulesFail(int elapsed, int cpuTime, boolean isOverdue) {
        assertThat(LIMITS.isOverdue(Duration.ofSeconds(elapsed), Duration.ofSeconds(cpuTime)))
                .isEqualTo(isOverdue);
    }

    @Test
    void quotesOneShortLineOfACrash() {
        var message = PreparationFailure.ofExit(OptionalInt.of(1), "x".repeat(5000) + "\nsecond", LIMITS)
                .message();
        assertThat(message).hasSizeLessThan(400).contains("exit code 1", "xxx").doesNotContain("second");
    }

    @Test
    void doesNotBlameTheModuleWhenTheProcessDidNotStart() {
        assertThat(PreparationFailure.notStarted("no room").isCausedByModule()).isFalse();
        assertThat(PreparationFailure.memory(LIMITS).isCausedByModule()).isTrue();
    }
}
