package io.portcullis.controller.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ThrottledReconcilerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> called = new ArrayList<>();
    private Duration now = Duration.ZERO;
    private Duration duration = Duration.ofMillis(10);
    private Optional<Duration> result = Optional.of(SECOND.multipliedBy(10));

    private final ThrottledReconciler<String> resting = new ThrottledReconciler<>(
            key -> {
                called.add(key);
                now = now.plus(duration);
                return result;
            },
            4,
            SECOND,
            () -> now.toNanos());

    @Test
    void restsForAMultipleOfTheWorkTime() throws Exception {
        assertThat(resting.reconcile("a")).contains(SECOND.multipliedBy(10));
        now = now.plusMillis(15);
        assertThat(resting.reconcile("a")).contains(Duration.ofMillis(25));
        assertThat(called).containsExactly("a");

        now = now.plusMillis(25);
        assertThat(resting.reconcile("a")).contains(SECOND.multipliedBy(10));
        assertThat(called).containsExactly("a", "a");
    }

    @Test
    void restsForEachKeySeparately() throws Exception {
        resting.reconcile("a");
        resting.reconcile("b");

        assertThat(called).containsExactly("a", "b");
    }

    @Test
    void limitsTheRestAfterLongWork() throws Exception {
        duration = Duration.ofMinutes(1);
        resting.reconcile("a");

        assertThat(resting.reconcile("a")).contains(SECOND);
    }

    @Test
    void dropsCompletedKeys() throws Exception {
        result = Optional.empty();
        resting.reconcile("a");
        resting.reconcile("a");

        assertThat(called).containsExactly("a", "a");
        assertThat(resting.restsUntil()).isEmpty();
    }
}
