package io.portcullis.controller.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.controller.evidence.ProbeSchedule.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProbeScheduleTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final ProbeSchedule schedule = new ProbeSchedule();

    @Test
    void probesEverythingFirstAndAgainAfterTheInterval() {
        assertThat(schedule.left(NOW)).isZero();
        assertThat(schedule.take(NOW, INTERVAL)).isEqualTo(new Topic.Everything());
        assertThat(schedule.left(NOW.plusSeconds(4))).isEqualTo(Duration.ofSeconds(6));
        assertThat(schedule.take(NOW.plusSeconds(9), INTERVAL)).isEqualTo(new Topic.Policies(Map.of()));
        assertThat(schedule.take(NOW.plusSeconds(10), INTERVAL)).isEqualTo(new Topic.Everything());
    }

    @Test
    void probesSinglePoliciesOnceWithoutDelayingAFullProbe() {
        schedule.take(NOW, INTERVAL);
        schedule.add(0, "a");
        schedule.add(2, "a");
        schedule.add(2, "b");

        assertThat(schedule.take(NOW.plusSeconds(5), INTERVAL))
                .isEqualTo(new Topic.Policies(Map.of(0, Set.of("a"), 2, Set.of("a", "b"))));
        assertThat(schedule.take(NOW.plusSeconds(6), INTERVAL)).isEqualTo(new Topic.Policies(Map.of()));
        assertThat(schedule.left(NOW.plusSeconds(6))).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void aFullProbeCoversSinglePolicies() {
        schedule.take(NOW, INTERVAL);
        schedule.add(0, "a");
        schedule.addEverything();

        assertThat(schedule.take(NOW.plusSeconds(1), INTERVAL)).isEqualTo(new Topic.Everything());
        assertThat(schedule.take(NOW.plusSeconds(2), INTERVAL)).isEqualTo(new Topic.Policies(Map.of()));
    }

    @Test
    void probesEverythingWhenTheNamesDoNotFitIntoOneQuestion() {
        schedule.take(NOW, INTERVAL);
        var names = IntStream.range(0, 20)
                .mapToObj(i -> "%02d".formatted(i).repeat(50))
                .collect(Collectors.toSet());
        names.forEach(name -> schedule.add(0, name));
        assertThat(schedule.take(NOW.plusSeconds(1), INTERVAL)).isEqualTo(new Topic.Policies(Map.of(0, names)));

        names.forEach(name -> schedule.add(0, name));
        schedule.add(0, "x");
        assertThat(schedule.take(NOW.plusSeconds(2), INTERVAL)).isEqualTo(new Topic.Everything());
    }

    @Test
    void aClockThatIsSetBackDelaysNoProbe() {
        schedule.take(NOW, INTERVAL);

        assertThat(schedule.left(NOW.minusSeconds(3600))).isZero();
        assertThat(schedule.take(NOW.minusSeconds(3600), INTERVAL)).isEqualTo(new Topic.Everything());
        assertThat(schedule.left(NOW.minusSeconds(3599))).isEqualTo(Duration.ofSeconds(9));
    }
}
