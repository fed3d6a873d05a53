package io.portcullis.controller.policy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Policy;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TenancyMetricsTest {

    private static <T extends Policy> T policy(T policy, String namespace, String name, String spec) {
        policy.setMetadata(
                new ObjectMetaBuilder().withNamespace(namespace).withName(name).build());
        policy.setSpec(Serialization.unmarshal("---\n" + spec, ObjectNode.class));
        return policy;
    }

    private static Stream<Policy> policies() {
        return Stream.of(
                policy(new AdmissionPolicy(), "x", "one", "{module: 'ghcr.io/a:v1'}"),
                policy(new AdmissionPolicy(), "x", "two", "{module: 'registry://ghcr.io/a:v1', rules: 7}"),
                policy(
                        new AdmissionPolicyGroup(),
                        "x",
                        "group",
                        "{policies: {a: {module: 'ghcr.io/a:v1'}, b: {module: 'ghcr.io/b:v1'}}}"),
                policy(new AdmissionPolicy(), "x", "other", "{module: 'ghcr.io/a:v1', policyServer: other}"),
                policy(new AdmissionPolicy(), "y", "one", "{module: 'ghcr.io/a:v1'}"),
                policy(new ClusterAdmissionPolicy(), "", "wide", "{module: 'ghcr.io/a:v1'}"));
    }

    @Test
    void countsPoliciesAndModulesOfEachNamespaceOnEachServer() {
        assertThat(TenancyMetrics.policies(policies()))
                .isEqualTo(Map.of(List.of("default", "x"), 3L, List.of("other", "x"), 1L, List.of("default", "y"), 1L));
        assertThat(TenancyMetrics.modules(policies()))
                .isEqualTo(Map.of(List.of("default", "x"), 2L, List.of("other", "x"), 1L, List.of("default", "y"), 1L));
    }
}
