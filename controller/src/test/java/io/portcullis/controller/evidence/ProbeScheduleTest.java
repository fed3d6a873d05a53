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

    private final ProbeSchedule agenda = new ProbeSchedule();

    @Test
    void everythingComesFirstAndAgainAfterTheInterval() {
        assertThat(agenda.left(NOW)).isZero();
        assertThat(agenda.take(NOW, INTERVAL)).isEqualTo(new Topic.Everything());
        assertThat(agenda.left(NOW.plusSeconds(4))).isEqualTo(Duration.ofSeconds(6));
        assertThat(agenda.take(NOW.plusSeconds(9), INTERVAL)).isEqualTo(new Topic.Policies(Map.of()));
        assertThat(agenda.take(NOW.plusSeconds(10), INTERVAL)).isEqualTo(new Topic.Everything());
    }

    @Test
    void policiesAreAskedForOnceAndDoNotPutEverythingOff() {
        agenda.take(NOW, INTERVAL);
        agenda.add(0, "a");
        agenda.add(2, "a");
        agenda.add(2, "b");

        assertThat(agenda.take(NOW.plusSeconds(5), INTERVAL))
                .isEqualTo(new Topic.Policies(Map.of(0, Set.of("a"), 2, Set.of("a", "b"))));
        assertThat(agenda.take(NOW.plusSeconds(6), INTERVAL)).isEqualTo(new Topic.Policies(Map.of()));
        assertThat(agenda.left(NOW.plusSeconds(6))).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void everythingCoversPolicies() {
        agenda.take(NOW, INTERVAL);
        agenda.add(0, "a");
        agenda.addEverything();

        assertThat(agenda.take(NOW.plusSeconds(1), INTERVAL)).isEqualTo(new Topic.Everything());
        assertThat(agenda.take(NOW.plusSeconds(2), INTERVAL)).isEqualTo(new Topic.Policies(Map.of()));
    }

    @Test
    void whatDoesNotFitInAQuestionIsEverything() {
        agenda.take(NOW, INTERVAL);
        var names = IntStream.range(0, 20)
                .mapToObj(i -> "%02d".formatted(i).repeat(50))
                .collect(Collectors.toSet());
        names.forEach(name -> agenda.add(0, name));
        assertThat(agenda.take(NOW.plusSeconds(1), INTERVAL)).isEqualTo(new Topic.Policies(Map.of(0, names)));

        names.forEach(name -> agenda.add(0, name));
        agenda.add(0, "x");
        assertThat(agenda.take(NOW.plusSeconds(2), INTERVAL)).isEqualTo(new Topic.Everything());
    }

    @Test
    void aClockThatIsSetBackPutsNothingOff() {
        agenda.take(NOW, INTERVAL);

        assertThat(agenda.left(NOW.minusSeconds(3600))).isZero();
        assertThat(agenda.take(NOW.minusSeconds(3600), INTERVAL)).isEqualTo(new Topic.Everything());
        assertThat(agenda.left(NOW.minusSeconds(3599))).isEqualTo(Duration.ofSeconds(9));
    }
}
