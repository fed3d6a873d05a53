package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.cli.CommandException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RollbackPlanTest {

    private static final Reading<List<RevisionSummary>> KEPT =
            new Reading.Seen<>(List.of(Samples.summary(4, "protect"), Samples.summary(2, "protect")));

    private static RollbackPlan plan(String wanted, Reading<List<RevisionSummary>> revisions) {
        return RollbackPlan.of(Samples.inStatus("Active", 4), wanted, revisions, KwctlRunner.NOW);
    }

    @Test
    void resolvesThePreviousGenerationToItsNumber() {
        assertThat(plan("previous", KEPT))
                .isEqualTo(
                        new RollbackPlan(
                                "2",
                                "Rolling back no-privileged (ClusterAdmissionPolicy) from generation 4 to the content of generation 2."));
    }

    @Test
    void requestsPreviousWhenRevisionsAreNotReadable() {
        var plan = plan("previous", new Reading.Hidden<>("forbidden"));

        assertThat(plan.request()).isEqualTo("previous");
        assertThat(plan.explanation()).contains("which revisions are kept is not known: forbidden");
    }

    @Test
    void rejectsUnknownGenerationsAndListsTheRevisions() {
        assertThatThrownBy(() -> plan("3", KEPT))
                .isInstanceOf(CommandException.class)
                .hasMessage("""
                        cannot roll back: no revision of generation 3 is kept; kept generations: 4 (present), 2

                        GENERATION  AGE  MODE     DIGEST        ACTIVE  WAS ENFORCED  RESTORABLE  ROLLBACK OF
                        4           24h  protect  0123456789ab  yes     yes           no          -
                        2           24h  protect  0123456789ab  no      yes           yes         -""");
        assertThatThrownBy(() -> plan("4", KEPT)).hasMessageContaining("is the present one");
        assertThatThrownBy(() -> plan("previous", new Reading.Seen<>(List.of())))
                .hasMessage("cannot roll back: no earlier revision was ever in use; no generation is kept");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "Previous", "2\"}", "1e3", "99999999999999999999"})
    void rejectsTextThatIsNotAGeneration(String wanted) {
        assertThatThrownBy(() -> plan(wanted, new Reading.Hidden<>("x"))).hasMessageContaining("neither a generation");
    }

    @Test
    void followsTheProgressOfTheController() {
        var policy = Samples.inStatus("Active", 4, Samples.condition("Enforced", "True", "Enforced", "fine"));
        policy.getMetadata().setAnnotations(Map.of(PolicyNames.ROLLBACK_TO, "2"));
        assertThat(RollbackPlan.judge(policy, 4)).isInstanceOf(StatusVerdict.Waiting.class);

        policy.getMetadata().setAnnotations(Map.of());
        assertThat(RollbackPlan.judge(policy, 4))
                .isInstanceOfSatisfying(
                        StatusVerdict.Failed.class,
                        failed -> assertThat(failed.cause()).contains("did not carry it out"));
        assertThat(RollbackPlan.judge(policy, 3)).isEqualTo(new StatusVerdict.Reached());
    }
}
