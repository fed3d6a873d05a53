package io.portcullis.kwctl.cluster;

import static io.portcullis.kwctl.cluster.Samples.about;
import static io.portcullis.kwctl.cluster.Samples.condition;
import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DiagnosisTest {

    private static final String NOT_ENFORCED = condition("Enforced", "False", "NotEnforced", "it is not enforced");

    /** Columns: status and reason of Accepted, a lifecycle condition of the desired generation, the expected advice. */
    @ParameterizedTest
    @CsvSource({
        "False, TargetNotFound, Scheduled, False, NoPolicyServer, name a PolicyServer",
        "False, TargetNotFound, Scheduled, False, PolicyServerNotFound, create that PolicyServer",
        "False, Conflicted, Scheduled, False, Conflicted, rename or delete",
        "False, Invalid, Initialized, False, InvalidSettings, correct spec.settings",
        "False, Invalid, Initialized, True, PolicyInitialized, the API server refuses it",
        "Unknown, Pending, Initialized, False, PullError, check that spec.module exists",
        "Unknown, Pending, Initialized, False, RegistryAuthError, spec.imagePullSecret",
        "Unknown, Pending, Initialized, False, InternalError, report this with the log",
        "Unknown, Pending, Initialized, False, NewerReason, wait for the policy server",
        "Unknown, Pending, Scheduled, False, PolicyServerScaledToZero, at least one replica",
        "True, Accepted, Ready, False, LoadError, look at the log of that replica",
        "True, Accepted, Ready, Unknown, ReplicaStarting, wait for the replicas",
        "True, Accepted, Ready, True, PolicyReady, the controller asks replicas again",
    })
    void recommendsTheNextStep(String status, String reason, String type, String its, String lifecycle, String advice) {
        var diagnosis = Diagnosis.of(Samples.inStatus(
                "Failed",
                0,
                condition("Accepted", status, reason, "the acceptance"),
                NOT_ENFORCED,
                about(4, type.equals("Ready") ? 1 : -1, type, its, lifecycle)));

        assertThat(diagnosis.isEnforced()).isFalse();
        assertThat(diagnosis.why()).isEqualTo(status.equals("True") ? "it is not enforced" : "the acceptance");
        assertThat(diagnosis.next()).singleElement().asString().contains(advice);
    }

    @Test
    void reportsFailuresBeforeReplicasThatAreStarting() {
        var diagnosis = Diagnosis.of(Samples.inStatus(
                "Failed",
                0,
                NOT_ENFORCED,
                about(4, 0, "Ready", "Unknown", "ReplicaStarting"),
                about(4, 1, "Ready", "False", "OutOfMemory")));

        assertThat(diagnosis.next()).singleElement().asString().contains("more memory");
    }

    @Test
    void ignoresAStatusOfAnOlderGeneration() {
        var policy = Samples.inStatus("Active", 4, condition("Enforced", "True", "Enforced", "fine"));
        assertThat(Diagnosis.of(policy).isEnforced()).isTrue();

        policy.getMetadata().setGeneration(5L);

        assertThat(Diagnosis.of(policy).isEnforced()).isFalse();
        assertThat(Diagnosis.of(policy).why()).contains("has not looked at generation 5 yet, only at 4");
    }

    @Test
    void acceptsControllersThatDoNotReportEnforcement() {
        var policy = Samples.policy("""
                kind: ClusterAdmissionPolicy
                metadata: {name: x, generation: 1}
                spec: {}
                status: {policyStatus: active, conditions: [{type: PolicyActive, status: "True"}]}
                """);

        assertThat(Diagnosis.of(policy).why()).contains("does not report");
        assertThat(Diagnosis.of(policy).next()).containsExactly("go by the status above: active");
    }

    @Test
    void reportsAPolicyInDeletion() {
        var policy = Samples.inStatus("Active", 4, condition("Enforced", "True", "Enforced", "fine"));
        policy.getMetadata().setDeletionTimestamp("2026-11-14T18:54:27Z");

        assertThat(Diagnosis.of(policy).why()).isEqualTo("it is being deleted");
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void hasAdviceOnEveryReason(Reason reason) {
        assertThat(Advice.on(reason)).isNotBlank().doesNotEndWith(".");
    }
}
