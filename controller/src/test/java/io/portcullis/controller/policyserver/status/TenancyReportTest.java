package io.portcullis.controller.policyserver.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.Policy;
import io.portcullis.controller.policyserver.SampleServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TenancyReportTest {

    private static Policy policy(String namespace, String name, int second, String module) {
        var policy = new AdmissionPolicy();
        policy.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(name)
                .withResourceVersion("1")
                .withCreationTimestamp("2026-11-17T10:00:%02dZ".formatted(second))
                .build());
        policy.setSpec(Serialization.unmarshal(
                "---\n{module: '%s', policyServer: a, rules: [], mutating: false}".formatted(module),
                ObjectNode.class));
        return policy;
    }

    private static TenancyReport report(String tenancy, Policy... policies) {
        return TenancyReport.of(
                SampleServers.serverSpec("{image: i, replicas: 1, tenancy: %s}".formatted(tenancy)),
                List.of(policies),
                name -> name.equals("gone") ? Optional.empty() : Optional.of(Map.of("tenant", name)));
    }

    @Test
    void namesPoliciesAndTheirViolatedRules() {
        var report = report(
                "{namespaceSelector: {matchLabels: {tenant: x}}, moduleSources: {registries: [ghcr.io]}}",
                policy("x", "fine", 1, "ghcr.io/a:v1"),
                policy("x", "elsewhere", 1, "quay.io/a:v1"),
                policy("y", "both", 1, "quay.io/a:v1"),
                policy("gone", "nowhere", 1, "ghcr.io/a:v1"));

        assertThat(report.isRespected()).isFalse();
        assertThat(report.violations())
                .containsExactly(
                        "gone/nowhere (AdmissionPolicy): namespaceSelector",
                        "x/elsewhere (AdmissionPolicy): moduleSources.registries",
                        "y/both (AdmissionPolicy): namespaceSelector, moduleSources.registries");
    }

    @Test
    void countsOlderPoliciesOfTheSameNamespace() {
        var report = report(
                "{maxPoliciesPerNamespace: 1, maxModulesPerNamespace: 1}",
                policy("x", "third", 3, "ghcr.io/a:v1"),
                policy("x", "first", 1, "ghcr.io/a:v1"),
                policy("x", "second", 2, "ghcr.io/b:v1"),
                policy("y", "only", 9, "ghcr.io/c:v1"));

        assertThat(report.violations())
                .containsExactly(
                        "x/second (AdmissionPolicy): maxPoliciesPerNamespace, maxModulesPerNamespace",
                        "x/third (AdmissionPolicy): maxPoliciesPerNamespace");
    }

    @Test
    void doesNotCountPoliciesThatAreBeingDeletedOrUnreadable() {
        var deleting = policy("x", "going", 1, "ghcr.io/a:v1");
        deleting.getMetadata().setDeletionTimestamp("2026-11-17T11:00:00Z");
        var malformed = policy("x", "malformed", 1, "ghcr.io/a:v1");
        malformed.getSpec().put("rules", 7);

        assertThat(report("{maxPoliciesPerNamespace: 1}", deleting, malformed, policy("x", "p", 5, "ghcr.io/a:v1"))
                        .isRespected())
                .isTrue();
    }

    @Test
    void limitsTheMessageWithManyViolations() {
        var many = new ArrayList<Policy>();
        IntStream.range(0, 50).forEach(i -> many.add(policy("x", "p" + i, 1, "file:///p")));

        assertThat(report("{}", many.toArray(Policy[]::new)).message())
                .startsWith("50 policies violate spec.tenancy.")
                .endsWith("; and 45 more")
                .hasSizeLessThan(600);
    }
}
