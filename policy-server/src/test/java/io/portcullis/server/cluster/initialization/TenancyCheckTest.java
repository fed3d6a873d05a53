package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policyserver.PolicyServerSpec;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.core.tenancy.ModuleReference;
import io.portcullis.core.tenancy.PolicyUse.NamespaceUse;
import io.portcullis.core.tenancy.TenancyRules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TenancyCheckTest {

    private final PolicyLoadSpecs loadSpecs = new PolicyLoadSpecs(List.of());

    private static ObservedRevision revision(
            String namespace, String name, long generation, int second, String module) {
        var policy = new AdmissionPolicy();
        policy.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(name)
                .withUid(namespace + "-" + name)
                .withGeneration(generation)
                .build());
        policy.setSpec(Serialization.unmarshal(
                "---\n{policyServer: s, module: '%s', mutating: false, rules: []}".formatted(module),
                ObjectNode.class));
        var revision = new DesiredRevision(IdentityScheme.DOTTED, "kubewarden").of(policy);
        revision.getMetadata().setCreationTimestamp("2026-11-17T10:00:%02dZ".formatted(second));
        return new ObservedRevision(revision);
    }

    private static TenancySource source(String tenancy) {
        return new TenancySource() {
            @Override
            public TenancyRules rules() {
                var spec = PolicyServerSpec.read(Serialization.unmarshal(
                        "---\n{image: i, replicas: 1, tenancy: " + tenancy + "}", ObjectNode.class));
                return new TenancyRules("s", spec.tenancy(), false);
            }

            @Override
            public Optional<Map<String, String>> namespaceLabels(String namespace) {
                return namespace.equals("gone") ? Optional.empty() : Optional.of(Map.of("tenant", namespace));
            }
        };
    }

    private Optional<InitializationOutcome.Failed> failure(
            String tenancy, ObservedRevision revision, NamespaceUse olderUse) {
        return new TenancyCheck(source(tenancy))
                .failure(revision, (PolicyLoadSpec.Usable) loadSpecs.of(revision), olderUse);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{namespaceSelector: {matchLabels: {tenant: b}}}; namespaceSelector",
                "{moduleSources: {schemes: [https]}}; moduleSources.schemes",
                "{moduleSources: {registries: [quay.io]}}; moduleSources.registries",
                "{moduleSources: {repositories: [ghcr.io/b/*]}}; moduleSources.repositories",
                "{requireSignature: true}; requireSignature",
                "{maxPoliciesPerNamespace: 0}; maxPoliciesPerNamespace",
                "{maxModulesPerNamespace: 0}; maxModulesPerNamespace",
            })
    void refusesEachViolationWithTheReasonTenancyViolation(String tenancy, String rule) {
        assertThat(failure(tenancy, revision("a", "p", 1, 1, "ghcr.io/a/p:v1"), NamespaceUse.NONE))
                .hasValueSatisfying(failed -> {
                    assertThat(failed.reason()).isEqualTo(Reason.TENANCY_VIOLATION);
                    assertThat(failed.message()).contains("tenancy rule " + rule + " of PolicyServer s");
                });
    }

    @Test
    void membersOfNamespacedGroupsReadOnlyWhatTheTenancyAllows() {
        var group = group();

        assertThat(failure("{}", group, NamespaceUse.NONE)).hasValueSatisfying(failed -> {
            assertThat(failed.reason()).isEqualTo(Reason.TENANCY_VIOLATION);
            assertThat(failed.message())
                    .contains(
                            "spec.policies[m].contextAwareResources violates the tenancy rule contextAwareResources of"
                                    + " PolicyServer s: the member reads v1/ConfigMap; allowed: nothing");
        });
        assertThat(failure("{contextAwareResources: [{apiVersion: v1, kind: ConfigMap}]}", group, NamespaceUse.NONE))
                .isEmpty();
        assertThat(loadSpecs.of(group)).isInstanceOfSatisfying(PolicyLoadSpec.Usable.class, usable -> {
            var member = usable.modules().values().iterator().next();
            assertThat(member.contextNamespace()).contains("a");
        });
    }

    private static ObservedRevision group() {
        var group = new AdmissionPolicyGroup();
        group.setMetadata(new ObjectMetaBuilder()
                .withNamespace("a")
                .withName("g")
                .withUid("a-g")
                .withGeneration(1L)
                .build());
        group.setSpec(Serialization.unmarshal(
                "---\n{policyServer: s, expression: m(), message: no, rules: [], policies: {m: {module: 'ghcr.io/p:v1',"
                        + " contextAwareResources: [{apiVersion: v1, kind: ConfigMap}]}}}",
                ObjectNode.class));
        return new ObservedRevision(new DesiredRevision(IdentityScheme.DOTTED, "kubewarden").of(group));
    }

    @Test
    void refusesFileModulesEvenWithoutRules() {
        assertThat(failure("{}", revision("a", "p", 1, 1, "file:///dev/zero"), NamespaceUse.NONE))
                .hasValueSatisfying(failed -> assertThat(failed.message())
                        .contains("does not load modules from files")
                        .doesNotContain("/dev/zero"));
    }

    @Test
    void allowsPoliciesThatFollowTheRules() {
        assertThat(failure(
                        "{namespaceSelector: {matchLabels: {tenant: a}}, moduleSources: {registries: [ghcr.io]}}",
                        revision("a", "p", 1, 1, "ghcr.io/a/p:v1"),
                        NamespaceUse.NONE))
                .isEmpty();
    }

    /** Without the rules nothing is loaded. The failure is temporary, so the leader retries. */
    @Test
    void failsTemporarilyWhenTheRulesCannotBeRead() {
        var unreachable = new TenancySource() {
            @Override
            public TenancyRules rules() {
                throw new KubernetesClientException("connection refused");
            }

            @Override
            public Optional<Map<String, String>> namespaceLabels(String namespace) {
                return Optional.empty();
            }
        };
        var revision = revision("a", "p", 1, 1, "ghcr.io/a/p:v1");

        assertThat(new TenancyCheck(unreachable)
                        .failure(revision, (PolicyLoadSpec.Usable) loadSpecs.of(revision), NamespaceUse.NONE))
                .hasValueSatisfying(failed -> {
                    assertThat(failed.reason()).isEqualTo(Reason.INTERNAL_ERROR);
                    assertThat(failed.message()).contains("connection refused");
                });
    }

    @Test
    void countsOlderPoliciesOfTheNamespaceOnceEach() {
        var all = List.of(
                revision("a", "first", 1, 1, "ghcr.io/x:v1"),
                revision("a", "first", 2, 9, "ghcr.io/x:v2"),
                revision("a", "second", 1, 2, "ghcr.io/y:v1"),
                revision("b", "other", 1, 1, "ghcr.io/z:v1"));

        assertThat(TenancyCheck.olderUse(all.get(2), all, loadSpecs))
                .isEqualTo(new NamespaceUse(1, java.util.Set.of("registry://ghcr.io/x:v2")));
        assertThat(TenancyCheck.olderUse(all.get(1), all, loadSpecs)).isEqualTo(NamespaceUse.NONE);
    }

    /** Admission and the policy server parse references with different code, and both must agree. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "registry://ghcr.io/kubewarden/p:v1",
                "ghcr.io/kubewarden/p:v1",
                "GHCR.io/kubewarden/p:v1",
                "kubewarden/p:v1",
                "p:v1",
                "registry://index.docker.io/p:v1",
                "registry://localhost:5000/a/b:v1",
                "registry://[::1]:5000/p:v1",
                "https://Example.com:443/a/./p.wasm?x=1",
                "http://example.com:8080/p.wasm",
                "registry://user@evil.com/p",
                "registry://ghcr.io/../p",
                "https://u:p@example.com/p.wasm",
                "https://example.com/%2e%2e/p.wasm",
                "https://example.com/a/../../p.wasm",
                "https://example.com/a%2fp.wasm",
                "https://example.com/",
                "https:///p.wasm",
                "ftp://example.com/p",
                "registry://",
            })
    void parsesReferencesAsAdmissionDoes(String url) {
        assertThat(TenancyCheck.reference(url).map(ModuleReference::place))
                .isEqualTo(ModuleReference.parse(url).map(ModuleReference::place));
    }
}
