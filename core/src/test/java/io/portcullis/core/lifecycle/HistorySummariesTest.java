package io.portcullis.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.testkit.sample.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests what a status lists about the kept revisions of its policy. */
class HistorySummariesTest {

    private static PolicyRevision revision(long generation, String mode, String switches, String status) {
        try {
            return Samples.JSON.treeToValue(
                    Samples.yaml("""
                            kind: PolicyRevision
                            metadata: {name: r%1$d, creationTimestamp: "2026-11-14T18:54:27Z"}
                            spec:
                              policyGeneration: %1$d
                              policyID: id
                              %2$s
                              dataHash: h
                              data: {spec: {mode: %3$s, settings: {password: secret}}}
                            status: {%4$s}
                            """.formatted(generation, switches, mode, status)), PolicyRevision.class);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static PolicyRevision plain(long generation) {
        return revision(generation, "protect", "enabled: false", "activatedAt: x");
    }

    private static List<RevisionSummary> summaries(PolicyMode mode, PolicyRevision... revisions) {
        return History.summaries(List.of(revisions), _ -> true, 3, mode);
    }

    @Test
    void listsTheNewestFirstWithModulesAndWithoutSettings() {
        var listed = summaries(
                PolicyMode.PROTECT,
                revision(
                        2,
                        "protect",
                        "rollbackOf: 1",
                        "activatedAt: x, artifacts: [{member: a, module: m, digest: 'sha256:1', size: 1}]"),
                revision(3, "protect", "active: true", ""));

        assertThat(listed)
                .containsExactly(
                        new RevisionSummary(3, "2026-11-14T18:54:27Z", "protect", List.of(), true, false, null),
                        new RevisionSummary(
                                2,
                                "2026-11-14T18:54:27Z",
                                "protect",
                                List.of(new RevisionSummary.Module("a", "sha256:1")),
                                true,
                                true,
                                1L));
        assertThat(Samples.JSON.valueToTree(listed).toString()).doesNotContain("secret", "settings");
    }

    @Test
    void aGenerationThatWasNeverInAWebhookWasNotEnforced() {
        assertThat(summaries(PolicyMode.PROTECT, revision(2, "protect", "enabled: true", "")))
                .extracting(RevisionSummary::wasEnforced)
                .containsExactly(false);
    }

    @Test
    void theCurrentGenerationAWeakerModeAndChangedContentCannotBeRestored() {
        assertThat(summaries(PolicyMode.PROTECT, plain(3), plain(2), revision(1, "monitor", "enabled: false", "")))
                .extracting(RevisionSummary::restorable)
                .containsExactly(false, true, false);
        assertThat(summaries(PolicyMode.MONITOR, plain(3), plain(2), revision(1, "monitor", "enabled: false", "")))
                .extracting(RevisionSummary::restorable)
                .containsExactly(false, true, true);
        assertThat(History.summaries(List.of(plain(1)), _ -> false, 3, PolicyMode.PROTECT))
                .extracting(RevisionSummary::restorable)
                .containsExactly(false);
    }

    @Test
    void listsALimitedNumberAndAlwaysTheOneInTheWebhook() {
        var revisions = IntStream.rangeClosed(2, 30)
                .mapToObj(HistorySummariesTest::plain)
                .collect(Collectors.toCollection(ArrayList::new));
        revisions.add(revision(1, "protect", "active: true", "activatedAt: x"));

        var listed = History.summaries(revisions, _ -> true, 30, PolicyMode.PROTECT);

        assertThat(listed).hasSize(20);
        assertThat(listed.getFirst().generation()).isEqualTo(30);
        assertThat(listed.getLast().generation()).isEqualTo(1);
    }

    @Test
    void listsALimitedNumberOfModules() {
        var artifacts = IntStream.range(0, 40)
                .mapToObj("{member: m%1$d, module: m, digest: 'sha256:%1$d', size: 1}"::formatted)
                .collect(Collectors.joining(", ", "artifacts: [", "]"));

        assertThat(summaries(PolicyMode.PROTECT, revision(2, "protect", "enabled: true", artifacts))
                        .getFirst()
                        .modules())
                .hasSize(32);
    }
}
