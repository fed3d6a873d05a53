package io.portcullis.controller.policy.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ServerSummaryTest {

    private static final Condition OURS = condition(PolicyServerNames.policiesCondition(PolicyKind.ADMISSION_POLICY));
    private static final Condition FOREIGN = condition("ServiceReconciled");

    private static Condition condition(String type) {
        return new ConditionBuilder().withType(type).build();
    }

    private static Optional<PolicyServerStatus> status(Condition... conditions) {
        return Optional.of(new PolicyServerStatus(Arrays.asList(conditions), 1, 1, 1, 1, null, null, null));
    }

    @Test
    void countsPoliciesByPhase() {
        assertThat(ServerSummary.counts(
                        Stream.of(Phase.ACTIVE, Phase.ACTIVE, Phase.UPDATING, Phase.PENDING, Phase.FAILED)))
                .isEqualTo(new PolicyServerStatus.Policies(5, 2, 2, 1));
        assertThat(ServerSummary.counts(Stream.empty())).isEqualTo(new PolicyServerStatus.Policies(0, 0, 0, 0));
    }

    @Test
    void onlyCountedChangesAreRelevant() {
        assertThat(ServerSummary.isCountedDifferently(on("a", Phase.ACTIVE), on("a", Phase.ACTIVE)))
                .isFalse();
        assertThat(ServerSummary.isCountedDifferently(on("a", Phase.ACTIVE), on("a", Phase.UPDATING)))
                .isTrue();
        assertThat(ServerSummary.isCountedDifferently(on("a", Phase.ACTIVE), on("b", Phase.ACTIVE)))
                .isTrue();
    }

    private static Policy on(String server, Phase phase) {
        var policy = new ClusterAdmissionPolicy();
        policy.getSpec().put("policyServer", server);
        policy.setStatus(
                new PolicyStatus(PolicyState.PENDING, phase, "protect", 1, 1, null, List.of(), List.of(), List.of()));
        return policy;
    }

    /** The API server always rejects a status without conditions. */
    @Test
    void writesNoStatusWithoutConditions() {
        assertThat(ServerSummary.wouldHaveNoConditions(List.of(), Optional.empty()))
                .isTrue();
        assertThat(ServerSummary.wouldHaveNoConditions(List.of(), status())).isTrue();
        assertThat(ServerSummary.wouldHaveNoConditions(List.of(), status(OURS))).isTrue();

        assertThat(ServerSummary.wouldHaveNoConditions(List.of(OURS), Optional.empty()))
                .isFalse();
        assertThat(ServerSummary.wouldHaveNoConditions(List.of(), status(OURS, FOREIGN)))
                .isFalse();
    }
}
