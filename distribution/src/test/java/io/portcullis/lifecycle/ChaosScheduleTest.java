package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.lifecycle.ChaosSchedule.Action;
import io.portcullis.lifecycle.ChaosSchedule.Planned;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ChaosScheduleTest {

    private static final List<String> POLICIES = List.of("one", "two");

    @Test
    void theSameSeedGivesTheSameSchedule() {
        var schedule = draw(42);

        assertThat(draw(42)).isEqualTo(schedule).hasToString(schedule.toString());
        assertThat(draw(43)).isNotEqualTo(schedule);
    }

    @Test
    void itCanBeReadAndRepeated() {
        assertThat(draw(42).toString())
                .startsWith("-Dportcullis.seed=42\n")
                .containsPattern("\\d+\\.\\d s  kill leading replica\n")
                .containsPattern("pause leading controller for \\d+ s\n")
                .containsPattern(
                        "change (one|two) to Good\\[message=change-0, module=[01], skipInitContainers=(true|false)]");
    }

    @Test
    void everyScheduleIsBoundedAndHasEveryKindOfAction() {
        seeds().map(ChaosScheduleTest::draw).forEach(schedule -> {
            assertThat(schedule.plan()).hasSize(41).isSortedAccordingTo(Comparator.comparing(Planned::at));
            assertThat(schedule.plan().getLast().at()).isLessThan(Duration.ofMinutes(3));
            assertThat(schedule.plan().stream()
                            .<Class<?>>map(planned -> planned.action().getClass()))
                    .contains(Action.class.getPermittedSubclasses());
        });
    }

    /** The controller does not wait for a replica with a fault that lasts longer than the grace time. */
    @Test
    void faultsEndBeforeTheGraceTimeOfReplicas() {
        assertThat(seeds().flatMap(seed -> draw(seed).plan().stream())
                        .map(Planned::action)
                        .flatMap(ChaosScheduleTest::time))
                .allSatisfy(time -> assertThat(time).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(28)))
                .anyMatch(time -> time.compareTo(Duration.ofSeconds(15)) > 0);
    }

    /** Privileged pods that it refuses must never be admitted. */
    @Test
    void onlyTheLastPolicyLosesItsWebhook() {
        assertThat(seeds().flatMap(seed -> draw(seed).plan().stream())
                        .map(Planned::action)
                        .filter(Action.DeleteWebhook.class::isInstance))
                .containsOnly(new Action.DeleteWebhook("two"));
    }

    private static Stream<Duration> time(Action action) {
        return switch (action) {
            case Action.Pause pause -> Stream.of(pause.time());
            case Action.Cut cut -> Stream.of(cut.time());
            case Action.Kill _, Action.Change _, Action.RollBack _, Action.DeleteWebhook _ -> Stream.empty();
        };
    }

    private static Stream<Long> seeds() {
        return LongStream.range(0, 50).boxed();
    }

    private static ChaosSchedule draw(long seed) {
        return ChaosSchedule.draw(seed, POLICIES, 2);
    }
}
