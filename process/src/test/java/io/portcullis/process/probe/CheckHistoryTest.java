package io.portcullis.process.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.process.probe.CheckHistory.Result;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CheckHistoryTest {

    private static long seconds(long count) {
        return Duration.ofSeconds(count).toNanos();
    }

    @Test
    void isAliveButNotReadyBeforeTheFirstCheck() {
        var history = CheckHistory.start(0);

        assertThat(history.isReady(0)).isFalse();
        assertThat(history.isAlive(0)).isTrue();
    }

    @Test
    void isReadyWhileASuccessIsRecent() {
        var history = CheckHistory.start(0).with(Result.SERVING, seconds(1));

        assertThat(history.isReady(seconds(31))).isTrue();
        assertThat(history.isReady(seconds(32))).isFalse();
        assertThat(history.with(Result.NOT_SERVING, seconds(3)).isReady(seconds(31)))
                .isTrue();
        assertThat(history.with(Result.NOT_SERVING, seconds(3)).isReady(seconds(32)))
                .isFalse();
    }

    @Test
    void isNotReadyAfterThreeUnreachableResultsInARow() {
        var served = CheckHistory.start(0).with(Result.SERVING, 0);
        var twice = served.with(Result.UNREACHABLE, seconds(2)).with(Result.UNREACHABLE, seconds(4));

        assertThat(twice.isReady(seconds(4))).isTrue();
        assertThat(twice.with(Result.UNREACHABLE, seconds(6)).isReady(seconds(6)))
                .isFalse();
        assertThat(twice.with(Result.NOT_SERVING, seconds(6)).isReady(seconds(6)))
                .isTrue();
    }

    @Test
    void isNotAliveAfterSixUnreachableResultsInARow() {
        var history = CheckHistory.start(0);
        for (var i = 0; i < CheckHistory.MAX_UNREACHABLE; i++) {
            assertThat(history.isAlive(seconds(i))).isTrue();
            history = history.with(Result.UNREACHABLE, seconds(i));
        }

        assertThat(history.isAlive(seconds(6))).isFalse();
        assertThat(history.with(Result.NOT_SERVING, seconds(7)).isAlive(seconds(7)))
                .as("an overloaded listener is alive")
                .isTrue();
    }

    @Test
    void isNotAliveWhenTheChecksHang() {
        var history = CheckHistory.start(0).with(Result.SERVING, 0);

        assertThat(history.isAlive(seconds(60))).isTrue();
        assertThat(history.isAlive(seconds(61))).isFalse();
    }
}
