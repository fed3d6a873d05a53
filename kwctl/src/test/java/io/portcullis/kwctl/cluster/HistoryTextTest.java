package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.kwctl.KwctlRunner;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTextTest {

    private static final RevisionSummary GROUP = new RevisionSummary(
            3,
            "not a time",
            "monitor",
            List.of(
                    new RevisionSummary.Module("signed", "sha256:" + "ab".repeat(32)),
                    new RevisionSummary.Module("pinned", "sha256:" + "cd".repeat(32))),
            false,
            true,
            1L);

    @Test
    void showsWhatWasEnforcedAndWhatCanBeRestored() {
        assertThat(HistoryText.table(List.of(Samples.summary(4, "protect"), GROUP), 4, KwctlRunner.NOW))
                .isEqualTo("""
                        GENERATION  AGE  MODE     DIGEST                                   ACTIVE  WAS ENFORCED  RESTORABLE  ROLLBACK OF
                        4           24h  protect  0123456789ab                             yes     yes           no          -
                        3           -    monitor  signed=abababababab pinned=cdcdcdcdcdcd  no      no            yes         1
                        """);
    }

    @Test
    void hasTheSameFactsAsStructuredData() {
        var document = HistoryText.document(Samples.inStatus("Active", 4), List.of(GROUP));

        assertThat(document.toString())
                .isEqualTo(
                        "{\"kind\":\"ClusterAdmissionPolicy\",\"name\":\"no-privileged\",\"generation\":4,\"activeGeneration\":4,"
                                + "\"revisions\":[{\"generation\":3,\"created\":\"not a time\",\"mode\":\"monitor\",\"modules\":["
                                + "{\"member\":\"signed\",\"digest\":\"sha256:" + "ab".repeat(32) + "\"},"
                                + "{\"member\":\"pinned\",\"digest\":\"sha256:" + "cd".repeat(32) + "\"}],"
                                + "\"active\":false,\"wasEnforced\":false,\"restorable\":true,\"rollbackOf\":1}]}");
    }

    @Test
    void advisesTheNewestGenerationThatCanBeRestored() {
        var policy = Samples.inStatus("Active", 4);

        assertThat(HistoryText.advice(policy, List.of(Samples.summary(4, "protect"), GROUP)))
                .isEqualTo("`kwctl rollback cap/no-privileged --to 3 --diff` shows what a rollback would change.\n");
        assertThat(HistoryText.advice(policy, List.of(Samples.summary(4, "protect"))))
                .isEqualTo("No earlier generation can be restored.\n");
    }

    @Test
    void readsRevisionsOnlyIfTheStatusListsNone() {
        var policy = Samples.policy("""
                kind: ClusterAdmissionPolicy
                metadata: {name: p, generation: 2}
                spec: {mode: protect}
                status: {policyStatus: active, revisions: [{generation: 1, mode: protect, wasEnforced: true, restorable: true}]}
                """);
        assertThat(KeptRevisions.of(policy, () -> new Reading.Hidden<>("no")).seen())
                .hasValueSatisfying(seen -> assertThat(seen).hasSize(1));
        assertThat(KeptRevisions.of(Samples.inStatus("Active", 4), () -> new Reading.Hidden<>("no")))
                .isEqualTo(new Reading.Hidden<>("no"));
    }
}
