package io.portcullis.controller.policy.status;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionStatus.TRUE;
import static io.portcullis.api.condition.ConditionStatus.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Transitions;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusTimingTest {

    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

    private static PolicyStatus status(
            PolicyState state, Phase phase, long generation, Condition accepted, Condition enforced) {
        return new PolicyStatus(
                state,
                phase,
                "protect",
                generation,
                0,
                null,
                Transitions.stamp(List.of(accepted, enforced), List.of(), THEN),
                List.of(),
                List.of());
    }

    private static Condition accepted(boolean isKnown, boolean holds) {
        return Condition.ofPolicy(
                ConditionType.ACCEPTED,
                isKnown ? (holds ? TRUE : FALSE) : UNKNOWN,
                isKnown ? (holds ? "Accepted" : "Invalid") : "Pending",
                "",
                1);
    }

    private static Condition enforced(boolean holds, String reason) {
        return Condition.ofPolicy(ConditionType.ENFORCED, holds ? TRUE : FALSE, reason, "", 1);
    }

    private static final PolicyStatus WAITING =
            status(PolicyState.PENDING, Phase.PENDING, 1, accepted(false, false), enforced(false, "NotEnforced"));
    private static final PolicyStatus LOADING =
            status(PolicyState.PENDING, Phase.PENDING, 1, accepted(true, true), enforced(false, "NotEnforced"));
    private static final PolicyStatus BROKEN =
            status(PolicyState.PENDING, Phase.FAILED, 1, accepted(true, false), enforced(false, "NotEnforced"));
    private static final PolicyStatus NEXT =
            status(PolicyState.PENDING, Phase.PENDING, 2, accepted(false, false), enforced(false, "NotEnforced"));
    private static final PolicyStatus ENFORCED =
            status(PolicyState.ACTIVE, Phase.ACTIVE, 1, accepted(true, true), enforced(true, "Enforced"));
    private static final PolicyStatus UNENFORCED =
            status(PolicyState.ACTIVE, Phase.ACTIVE, 1, accepted(true, true), enforced(false, "PartiallyEnforced"));
    private static final PolicyStatus OVERRIDDEN =
            status(PolicyState.ACTIVE, Phase.ACTIVE, 1, accepted(true, true), enforced(false, "Overridden"));

    private static Optional<Duration> delay(PolicyStatus before, PolicyStatus after, long millis) {
        return StatusTiming.delay(before, after, THEN.plusMillis(millis), Optional.empty());
    }

    @Test
    void delaysProgressUpdates() {
        assertThat(delay(WAITING, LOADING, 400)).contains(Duration.ofMillis(1100));
        assertThat(delay(WAITING, LOADING, 1500)).isEmpty();
        assertThat(delay(WAITING, LOADING, -5000)).as("clocks differ").isEmpty();
    }

    @Test
    void doesNotDelayImportantChanges() {
        assertThat(StatusTiming.delay(null, WAITING, THEN, Optional.empty())).isEmpty();
        assertThat(delay(WAITING, BROKEN, 1)).isEmpty();
        assertThat(delay(LOADING, ENFORCED, 1)).isEmpty();
        assertThat(delay(ENFORCED, UNENFORCED, 1)).isEmpty();
        assertThat(delay(WAITING, NEXT, 1)).isEmpty();
    }

    @Test
    void waitsBrieflyForTheFirstProbeOfANewReplica() {
        var now = THEN.plusSeconds(60);
        var justNow = Optional.of(now.minusSeconds(1));
        var longAgo = Optional.of(now.minusSeconds(2));

        assertThat(StatusTiming.delay(ENFORCED, UNENFORCED, now, justNow)).contains(Duration.ofMillis(150));
        assertThat(StatusTiming.delay(ENFORCED, UNENFORCED, now, longAgo)).isEmpty();
        assertThat(StatusTiming.delay(ENFORCED, UNENFORCED, now, Optional.of(now.plusSeconds(3600))))
                .as("a replica whose clock is wrong")
                .isEmpty();
        assertThat(StatusTiming.delay(LOADING, OVERRIDDEN, now, justNow)).isEmpty();
        assertThat(StatusTiming.delay(LOADING, ENFORCED, now, justNow)).isEmpty();
    }
}
