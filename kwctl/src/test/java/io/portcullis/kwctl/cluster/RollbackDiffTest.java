package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import java.util.List;
import org.junit.jupiter.api.Test;

class RollbackDiffTest {

    private static final Policy POLICY = Samples.policy("""
            kind: ClusterAdmissionPolicy
            metadata: {name: limits, generation: 4}
            spec: {module: "ghcr.io/p:v2", mode: protect, policyServer: b, settings: {max: 2, name: "x\\u202ey"}, rules: []}
            """);

    private static final List<RevisionSummary> KEPT =
            List.of(Samples.summary(4, "protect"), Samples.summary(2, "monitor"));

    private static Reading<List<PolicyRevision>> stored(String spec) {
        return new Reading.Seen<>(List.of(Samples.read("""
                kind: PolicyRevision
                metadata: {name: r2}
                spec: {policyGeneration: 2, policyID: id, dataHash: h, data: {spec: %s}}
                """.formatted(spec), PolicyRevision.class)));
    }

    @Test
    void showsTheFieldsThatARollbackChangesAndKeepsThePolicyServer() {
        assertThat(
                        RollbackDiff.of(
                                POLICY,
                                2,
                                KEPT,
                                stored(
                                        "{module: 'ghcr.io/p:v1', mode: protect, policyServer: a, settings: {max: 1, name: 'x'}}")))
                .isEqualTo("""
                        --- limits (ClusterAdmissionPolicy), generation 4
                        +++ limits (ClusterAdmissionPolicy), content of generation 2
                        @@
                         - sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                         spec:
                           mode: protect
                        -  module: ghcr.io/p:v2
                        +  module: ghcr.io/p:v1
                           policyServer: b
                        -  rules: []
                           settings:
                        -    max: 2
                        -    name: x y
                        +    max: 1
                        +    name: x
                        """);
    }

    @Test
    void showsNoSettingsToAUserWhoMayNotReadRevisions() {
        assertThat(RollbackDiff.of(
                        POLICY, 2, KEPT, new Reading.Hidden<>("you are not allowed to list policyrevisions")))
                .isEqualTo("""
                        --- limits (ClusterAdmissionPolicy), generation 4
                        +++ limits (ClusterAdmissionPolicy), content of generation 2
                        -mode: protect
                        +mode: monitor
                         modules:
                         - sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                        Settings, rules and all other fields are not compared: you are not allowed to list policyrevisions.
                        """);
    }

    @Test
    void reportsEqualContent() {
        assertThat(
                        RollbackDiff.of(
                                POLICY,
                                2,
                                KEPT,
                                stored(
                                        "{module: 'ghcr.io/p:v2', mode: protect, settings: {name: \"x\\u202ey\", max: 2}, rules: []}")))
                .isEqualTo("Nothing differs between generation 4 and generation 2.\n");
    }
}
