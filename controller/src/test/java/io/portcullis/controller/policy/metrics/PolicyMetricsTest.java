package io.portcullis.controller.policy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyMetricsTest {

    private static final Instant CHANGED = Instant.parse("2026-01-01T00:00:00Z");

    private final Metrics metrics = new Metrics();
    private final List<Policy> policies = new ArrayList<>(List.of(policy("one"), policy("two")));
    private final PolicyMetrics policyMetrics = new PolicyMetrics(
            metrics, IdentityScheme.DOTTED, policies::stream, () -> Map.of("default", 2L), () -> Map.of("default", 3L));

    private static Policy policy(String name) {
        var policy = new ClusterAdmissionPolicy();
        policy.setMetadata(
                new ObjectMetaBuilder().withName(name).withGeneration(3L).build());
        policy.getSpec().put("module", "m").put("policyServer", "default");
        return policy;
    }

    private List<String> lines(String start) {
        return PrometheusText.render(metrics)
                .lines()
                .filter(line -> line.startsWith(start))
                .toList();
    }

    @Test
    void aPolicyWithoutAStatusIsPendingAndNotEnforced() {
        assertThat(lines("kubewarden_policy_phase{"))
                .containsExactlyInAnyOrder(
                        "kubewarden_policy_phase{name=\"kw.cap.one\",phase=\"Pending\"} 1",
                        "kubewarden_policy_phase{name=\"kw.cap.two\",phase=\"Pending\"} 1");
        assertThat(lines("kubewarden_policy_generation_lag{name=\"kw.cap.one\"}"))
                .containsExactly("kubewarden_policy_generation_lag{name=\"kw.cap.one\"} 3");
        assertThat(lines("kubewarden_policy_enforced{name=\"kw.cap.one\"}"))
                .containsExactly("kubewarden_policy_enforced{name=\"kw.cap.one\"} 0");
        assertThat(lines("kubewarden_policyserver_replicas_ready{"))
                .containsExactly("kubewarden_policyserver_replicas_ready{policy_server=\"default\"} 2");
        assertThat(lines("kubewarden_policyserver_replicas_wanted{"))
                .containsExactly("kubewarden_policyserver_replicas_wanted{policy_server=\"default\"} 3");
    }

    @Test
    void reportsTheActivationTimeOfEachExistingPolicy() {
        policyMetrics.activated("kw.cap.one", CHANGED, CHANGED.plusMillis(9000));
        policyMetrics.activated("kw.cap.one", CHANGED, CHANGED.plusMillis(1500));
        policyMetrics.activated("kw.cap.gone", CHANGED, CHANGED.plusMillis(100));

        assertThat(lines("kubewarden_policy_last_activation_milliseconds{"))
                .containsExactly("kubewarden_policy_last_activation_milliseconds{name=\"kw.cap.one\"} 1500");
        assertThat(lines("kubewarden_policy_activation_seconds_count"))
                .containsExactly("kubewarden_policy_activation_seconds_count 3");

        policies.removeFirst();
        assertThat(lines("kubewarden_policy_last_activation_milliseconds{")).isEmpty();
    }

    @Test
    void aRecreatedPolicyDoesNotInheritTheActivationTime() {
        policyMetrics.activated("kw.cap.one", CHANGED, CHANGED.plusMillis(1500));
        policyMetrics.deleted("kw.cap.one");

        assertThat(lines("kubewarden_policy_last_activation_milliseconds{")).isEmpty();
    }
}
