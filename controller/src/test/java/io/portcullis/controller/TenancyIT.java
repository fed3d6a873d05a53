package io.portcullis.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code spec.tenancy} on a real API server: rejected policies, and the status report when rules become stricter. */
@Tag("level1")
@RealCluster
class TenancyIT {

    private static final Duration LIMIT = Duration.ofSeconds(40);

    @SuppressWarnings("NullAway") // set before any test
    private static RunningController controller;

    private final TestCluster cluster;
    private final String namespace;

    TenancyIT(TestCluster cluster) {
        this.cluster = cluster;
        this.namespace = cluster.namespace() + "-tenant";
    }

    @BeforeAll
    static void start(TestCluster cluster) throws Exception {
        controller = RunningController.start(cluster, RunningController.settings(cluster, true, Optional.empty()));
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(cluster.namespace() + "-tenant")
                .addToLabels("tenant", "a")
                .endMetadata()
                .build());
        cluster.apply(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("signatures")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .addToData("verification-config", "apiVersion: v1\n")
                .build());
    }

    @AfterAll
    static void stop() {
        controller.close();
    }

    private PolicyServer server(String name, String tenancy) {
        var server = new PolicyServer();
        server.setMetadata(new ObjectMetaBuilder().withName(name).build());
        server.setSpec(Serialization.unmarshal(
                "---\n{image: 'example.com/i:v1', replicas: 0, verificationConfig: signatures, tenancy: " + tenancy
                        + "}",
                ObjectNode.class));
        return cluster.apply(server);
    }

    private <T extends Policy> T policy(T policy, String name, String server, String module) {
        policy.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(policy.policyKind().isNamespaced() ? namespace : null)
                .build());
        policy.setSpec(Serialization.unmarshal("""
                ---
                {policyServer: %s, module: '%s', mutating: false, settings: {}, rules: [
                  {apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}
                """.formatted(server, module), ObjectNode.class));
        return policy;
    }

    private static List<String> refusal(Runnable attempt) {
        var refused = catchThrowableOfType(KubernetesClientException.class, attempt::run);
        assertThat(refused).as("the request should have been rejected").isNotNull();
        assertThat(refused.getCode()).as(refused.getMessage()).isEqualTo(422);
        return refused.getStatus().getDetails().getCauses().stream()
                .map(cause -> cause.getField() + ": " + cause.getMessage())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{namespaceSelector: {matchLabels: {tenant: b}}}; ghcr.io/a:v1; spec.policyServer; namespaceSelector; do not match; namespaces with tenant=b",
                "{moduleSources: {schemes: [registry]}}; https://ghcr.io/a; spec.module; moduleSources.schemes; scheme https; registry",
                "{moduleSources: {registries: [quay.io]}}; ghcr.io/a:v1; spec.module; moduleSources.registries; comes from ghcr.io; quay.io",
                "{moduleSources: {repositories: [ghcr.io/b/*]}}; ghcr.io/a:v1; spec.module; moduleSources.repositories; comes from ghcr.io/a; ghcr.io/b/*",
                "{requireSignature: true}; https://ghcr.io/a; spec.module; requireSignature; has no signature; modules of registries with a verified signature",
                "{maxPoliciesPerNamespace: 0}; ghcr.io/a:v1; spec.policyServer; maxPoliciesPerNamespace; already has 0 policies; at most 0",
                "{maxModulesPerNamespace: 0}; ghcr.io/a:v1; spec.policyServer; maxModulesPerNamespace; would have 1 different modules; at most 0",
                "{requireSignature: false}; file:///etc/passwd; spec.module; moduleSources.schemes; does not load modules from files; registry, https, http",
            })
    void rejectsViolationsWithTheRuleTheServerTheFindingAndTheAllowedValues(
            String tenancy, String module, String field, String rule, String finding, String allowed) {
        server("ruled", tenancy);
        var policy = policy(new AdmissionPolicy(), "refused", "ruled", module);

        assertThat(refusal(() -> cluster.client().resource(policy).create()))
                .singleElement()
                .asString()
                .startsWith(field + ": Forbidden: violates the tenancy rule " + rule + " of PolicyServer ruled: ")
                .contains(finding, "allowed: " + allowed);
    }

    @Test
    void membersOfNamespacedGroupsReadOnlyListedKinds() {
        server("reading", "{contextAwareResources: [{apiVersion: v1, kind: ConfigMap}]}");

        cluster.client().resource(reading("allowed", "ConfigMap")).create();
        assertThat(refusal(() ->
                        cluster.client().resource(reading("refused", "Secret")).create()))
                .containsExactly("spec.policies[m].contextAwareResources: Forbidden: violates the tenancy rule"
                        + " contextAwareResources of PolicyServer reading: the member reads v1/Secret; allowed: v1/ConfigMap."
                        + " A cluster administrator can change spec.tenancy.contextAwareResources");
    }

    private AdmissionPolicyGroup reading(String name, String kind) {
        var group = new AdmissionPolicyGroup();
        group.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace(namespace).build());
        group.setSpec(Serialization.unmarshal("""
                ---
                {policyServer: reading, expression: m(), message: no, rules: [
                  {apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}],
                 policies: {m: {module: 'ghcr.io/a:v1', contextAwareResources: [{apiVersion: v1, kind: %s}]}}}
                """.formatted(kind), ObjectNode.class));
        return group;
    }

    @Test
    void appliesOnlyModuleSourcesToClusterWidePolicies() {
        server(
                "wide",
                "{namespaceSelector: {matchLabels: {x: y}}, maxPoliciesPerNamespace: 0, moduleSources: {registries: [ghcr.io]}}");

        cluster.apply(policy(new ClusterAdmissionPolicy(), "wide-fine", "wide", "ghcr.io/a:v1"));
        assertThat(refusal(() -> cluster.client()
                        .resource(policy(new ClusterAdmissionPolicy(), "wide-refused", "wide", "quay.io/a:v1"))
                        .create()))
                .singleElement()
                .asString()
                .contains("moduleSources.registries");
    }

    @Test
    void stricterRulesReportExistingPoliciesAndRejectTheirNewGenerations() {
        server("stricter", "{}");
        var policy = cluster.apply(policy(new AdmissionPolicy(), "existing", "stricter", "ghcr.io/a:v1"));
        server("stricter", "{moduleSources: {registries: [quay.io]}}");

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(condition("stricter", "TenancyRespected"))
                        .startsWith("False PoliciesViolateTenancy ")
                        .contains(namespace + "/existing (AdmissionPolicy): moduleSources.registries"));
        var stored = cluster.client()
                .resources(AdmissionPolicy.class)
                .inNamespace(namespace)
                .withName(policy.getMetadata().getName());
        assertThat(refusal(() ->
                        stored.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"settings\": {\"a\": 1}}}")))
                .singleElement()
                .asString()
                .contains("moduleSources.registries of PolicyServer stricter");
        // A change of labels is not a new generation.
        stored.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");

        server("stricter", "{moduleSources: {registries: [ghcr.io]}}");
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(condition("stricter", "TenancyRespected"))
                        .startsWith("True PoliciesRespectTenancy "));
    }

    private String condition(String server, String type) {
        var status = cluster.client()
                .resources(PolicyServer.class)
                .withName(server)
                .get()
                .getStatus();
        return status == null
                ? ""
                : status.conditions().stream()
                        .filter(condition -> condition.getType().equals(type))
                        .map(condition ->
                                condition.getStatus() + " " + condition.getReason() + " " + condition.getMessage())
                        .findFirst()
                        .orElse("");
    }

    private void account(String name, Map<String, String> labels) {
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(cluster.namespace())
                .withLabels(labels)
                .endMetadata()
                .build());
    }

    private PolicyServer withAccount(String name, String account) {
        var server = new PolicyServer();
        server.setMetadata(new ObjectMetaBuilder().withName(name).build());
        server.setSpec(Serialization.unmarshal(
                "---\n{image: 'example.com/i:v1', replicas: 0, serviceAccountName: " + account + "}",
                ObjectNode.class));
        return server;
    }

    @Test
    void policyServersUseOnlyAllowedServiceAccounts() {
        account("any", Map.of());
        account("allowed", Map.of("kubewarden.io/allow-policy-servers", "true"));

        for (var refused : Map.of(
                        "any", "is not allowed for PolicyServers",
                        "ghost", "does not exist",
                        "kubewarden-controller", "is the account of the controller")
                .entrySet()) {
            assertThat(refusal(() -> cluster.client()
                            .resource(withAccount("account-refused", refused.getKey()))
                            .create()))
                    .singleElement()
                    .asString()
                    .startsWith("spec.serviceAccountName: Invalid value: \"" + refused.getKey() + "\": ")
                    .contains(refused.getValue());
        }
        cluster.apply(withAccount("account-allowed", "allowed"));
        cluster.apply(withAccount("account-default", "default"));
    }

    @Test
    void createsNoPodsForAServiceAccountThatIsNoLongerAllowed() {
        account("revoked", Map.of("kubewarden.io/allow-policy-servers", "true"));
        cluster.apply(withAccount("account-revoked", "revoked"));
        var statefulSets = cluster.client().apps().statefulSets().inNamespace(cluster.namespace());
        await().atMost(LIMIT)
                .until(() ->
                        statefulSets.withName("policy-server-account-revoked").get() != null);

        cluster.client()
                .serviceAccounts()
                .inNamespace(cluster.namespace())
                .withName("revoked")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\": {\"labels\": {\"kubewarden.io/allow-policy-servers\": null}}}");

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(condition("account-revoked", "StatefulSetReconciled"))
                        .startsWith("False ")
                        .contains("is not allowed for PolicyServers"));
    }
}
