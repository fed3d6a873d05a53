package io.portcullis.kwctl.cluster;

import static io.portcullis.kwctl.cluster.Samples.about;
import static io.portcullis.kwctl.cluster.Samples.condition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.kwctl.cli.CommandException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitGoalTest {

    private static final String ACCEPTED = condition("Accepted", "True", "Accepted", "accepted");
    private static final String NOT_ENFORCED = condition("Enforced", "False", "NotEnforced", "nobody serves it");

    @ParameterizedTest
    @CsvSource({
        "enforced, Active, True, Reached",
        "enforced, Updating, False, Waiting",
        "enforced, Failed, False, Failed",
        "active, Active, False, Reached",
        "active, Pending, True, Waiting",
        "accepted, Failed, False, Reached",
        "condition=Enforced, Active, True, Reached",
        "condition=Enforced=False, Pending, False, Reached",
        "condition=Enforced=unknown, Pending, False, Waiting",
        "condition=Ready, Updating, False, Waiting",
        "condition=Initialized, Updating, False, Reached",
        "condition=NeverHeardOf, Active, True, Waiting",
    })
    void evaluatesTheGoal(String goal, String phase, String enforced, String verdict) {
        var policy = Samples.inStatus(
                phase,
                3,
                ACCEPTED,
                condition("Enforced", enforced, "Reason", "message"),
                about(4, -1, "Initialized", "True", "PolicyInitialized"),
                about(3, -1, "Initialized", "False", "PullError"),
                about(4, 0, "Ready", "True", "PolicyReady"),
                about(4, 1, "Ready", "Unknown", "ReplicaStarting"));

        assertThat(WaitGoal.parse(goal).judge(policy, true).getClass().getSimpleName())
                .isEqualTo(verdict);
    }

    @Test
    void reportsTheCauseOfAFailureWithFailFast() {
        var policy = Samples.inStatus("Failed", 0, ACCEPTED, NOT_ENFORCED);

        assertThat(WaitGoal.enforced().judge(policy, true)).isEqualTo(new StatusVerdict.Failed("nobody serves it"));
        assertThat(WaitGoal.enforced().judge(policy, false))
                .isEqualTo(new StatusVerdict.Waiting("generation 4: phase Failed, nobody serves it"));
    }

    @Test
    void ignoresConditionsOfAnOlderGeneration() {
        var policy = Samples.inStatus("Failed", 4, condition("Enforced", "True", "Enforced", "fine"));
        policy.getMetadata().setGeneration(5L);

        for (var goal : new String[] {"enforced", "active", "condition=Enforced"}) {
            assertThat(WaitGoal.parse(goal).judge(policy, true))
                    .isEqualTo(new StatusVerdict.Waiting("generation 5 has not been looked at yet"));
        }
        policy.setStatus(null);
        assertThat(WaitGoal.enforced().judge(policy, true)).isInstanceOf(StatusVerdict.Waiting.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Enforced",
                "condition",
                "condition=",
                "condition==True",
                "condition=A=maybe",
                "condition=A=True=B"
            })
    void rejectsOtherGoals(String text) {
        assertThatThrownBy(() -> WaitGoal.parse(text)).isInstanceOf(CommandException.class);
    }

    @ParameterizedTest
    @CsvSource({"90s, 90000", "5m, 300000", "1h30m, 5400000", "500ms, 500", "7, 7000", "0, 0", "1m1s1ms, 61001"})
    void parsesDurations(String text, long millis) {
        assertThat(TimeLimit.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1.5s", "soon", "1d", "25h", "99999999999s", "1s1m"})
    void rejectsOtherDurations(String text) {
        assertThatThrownBy(() -> TimeLimit.parse(text)).isInstanceOf(CommandException.class);
    }
}
