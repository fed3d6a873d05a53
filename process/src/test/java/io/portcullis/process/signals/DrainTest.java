package io.portcullis.process.signals;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DrainTest {

    private static final Drain DRAIN = new Drain(Duration.ofSeconds(5), Duration.ofSeconds(20));

    @ParameterizedTest(name = "served for {0} s, last request {1} s ago: {2} s more")
    @CsvSource({
        "5, 5, 0", // no request since the start
        "5, 60, -55",
        "5, 1, 4", // a request arrived: one more lag from then
        "9, 5, 0",
        "18, 0, 2", // requests never stop: four lags in total
        "20, 0, 0",
    })
    void servesUntilNoRequestHasComeForTheWholeLag(long served, long quiet, long more) {
        assertThat(DRAIN.pauseAfter(Duration.ofSeconds(served), Duration.ofSeconds(quiet)))
                .isEqualTo(Duration.ofSeconds(more));
    }

    @Test
    void countsEveryLagInTheTotalTime() {
        assertThat(DRAIN.total()).isEqualTo(Duration.ofSeconds(42));
    }

    @Test
    void runsTheDrainStepsInOrder() throws InterruptedException {
        List<String> done = new ArrayList<>();

        new Drain(Duration.ZERO, Duration.ofSeconds(1)).run(new Drain.Steps() {
            @Override
            public void becomeUnready() {
                done.add("unready");
            }

            @Override
            public Duration sinceLastRequest() {
                return Duration.ZERO;
            }

            @Override
            public void stopAccepting(Duration limit) {
                done.add("closed");
            }

            @Override
            public boolean awaitIdle(Duration limit) {
                done.add("idle");
                return true;
            }
        });

        assertThat(done).containsExactly("unready", "closed", "idle");
    }
}
