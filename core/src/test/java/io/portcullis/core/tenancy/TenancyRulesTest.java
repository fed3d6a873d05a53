package io.portcullis.core.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policyserver.PolicyServerSpec;
import io.portcullis.core.tenancy.PolicyUse.NamespaceUse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TenancyRulesTest {

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    /** @param violated fields of the rules that are violated, in order */
    record Case(String name, String tenancy, PolicyUse use, List<String> violated) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static PolicyServerSpec spec(String tenancy) {
        return PolicyServerSpec.read(Serialization.unmarshal(
                "---\n{image: i, replicas: 1, verificationConfig: v, tenancy: " + tenancy + "}", ObjectNode.class));
    }

    private static TenancyRules rules(String tenancy) {
        return new TenancyRules("shared", spec(tenancy).tenancy(), true);
    }

    private static PolicyUse use(PolicyKind kind, NamespaceUse before, String... modules) {
        var references = new LinkedHashMap<String, Optional<ModuleReference>>();
        for (int i = 0; i < modules.length; i++) {
            references.put("spec.policies[m" + i + "].module", ModuleReference.parse(modules[i]));
        }
        return new PolicyUse(
                new PolicyRef(kind, kind.isNamespaced() ? "team-a" : "", "p"),
                references,
                Map.of(),
                kind.isNamespaced() ? Optional.of(Map.of("tenant", "a")) : Optional.empty(),
                before);
    }

    private static PolicyUse tenant(String... modules) {
        return use(PolicyKind.ADMISSION_POLICY_GROUP, NamespaceUse.NONE, modules);
    }

    /** @param resources as {@code apiVersion/kind}, read by one member */
    private static PolicyUse reading(PolicyKind kind, String... resources) {
        var use = use(kind, NamespaceUse.NONE, "ghcr.io/a:v1");
        return new PolicyUse(
                use.policy(),
                use.modules(),
                Map.of(
                        "spec.policies[m].contextAwareResources",
                        Stream.of(resources)
                                .map(text -> text.split(":", 2))
                                .map(parts -> new ContextAwareResource(parts[0], parts[1]))
                                .collect(Collectors.toSet())),
                use.namespaceLabels(),
                use.before());
    }

    private static PolicyUse cluster(String... modules) {
        return use(PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP, NamespaceUse.NONE, modules);
    }

    private static PolicyUse after(int policies, Set<String> modules, String... own) {
        return use(PolicyKind.ADMISSION_POLICY_GROUP, new NamespaceUse(policies, modules), own);
    }

    private static Case row(String name, String tenancy, PolicyUse use, String... violated) {
        return new Case(name, tenancy, use, List.of(violated));
    }

    static Stream<Case> rules() {
        var a = "registry://ghcr.io/a:v1";
        var b = "registry://ghcr.io/b:v1";
        return Stream.of(
                row("no rules", "{}", tenant(a)),
                row("no rules, http", "{}", tenant("http://example.com/p.wasm")),
                row("no rules, file", "{}", tenant("file:///dev/zero"), "moduleSources.schemes"),
                row("no rules, file, cluster-wide", "{}", cluster("file:///tmp/x"), "moduleSources.schemes"),
                row("no rules, not a reference", "{}", tenant("https://u:p@h/x"), "moduleSources.schemes"),
                row("namespace matches", "{namespaceSelector: {matchLabels: {tenant: a}}}", tenant(a)),
                row(
                        "namespace differs",
                        "{namespaceSelector: {matchLabels: {tenant: b}}}",
                        tenant(a),
                        "namespaceSelector"),
                row("empty selector matches all", "{namespaceSelector: {}}", tenant(a)),
                row(
                        "unknown namespace, even for an empty selector",
                        "{namespaceSelector: {}}",
                        new PolicyUse(
                                new PolicyRef(PolicyKind.ADMISSION_POLICY, "team-a", "p"),
                                Map.of(),
                                Map.of(),
                                Optional.empty(),
                                NamespaceUse.NONE),
                        "namespaceSelector"),
                row(
                        "cluster-wide policies have no namespace",
                        "{namespaceSelector: {matchLabels: {tenant: b}}}",
                        cluster(a)),
                row(
                        "expression",
                        "{namespaceSelector: {matchExpressions: [{key: tenant, operator: NotIn, values: [a]}]}}",
                        tenant(a),
                        "namespaceSelector"),
                row("scheme", "{moduleSources: {schemes: [registry]}}", tenant("https://h/p"), "moduleSources.schemes"),
                row(
                        "scheme applies to cluster-wide policies",
                        "{moduleSources: {schemes: [https]}}",
                        cluster(a),
                        "moduleSources.schemes"),
                row("registry", "{moduleSources: {registries: [ghcr.io]}}", tenant(a)),
                row("registry in capitals", "{moduleSources: {registries: [GHCR.io]}}", tenant(a)),
                row(
                        "other registry, each member",
                        "{moduleSources: {registries: [quay.io]}}",
                        tenant(a, "quay.io/p:v1", b),
                        "moduleSources.registries",
                        "moduleSources.registries"),
                row("docker hub by its other name", "{moduleSources: {registries: [index.docker.io]}}", tenant("p:v1")),
                row(
                        "a host with the same prefix",
                        "{moduleSources: {registries: [ghcr.io]}}",
                        tenant("registry://ghcr.io.evil.com/a:v1"),
                        "moduleSources.registries"),
                row(
                        "another port is another registry",
                        "{moduleSources: {registries: [ghcr.io]}}",
                        tenant("registry://ghcr.io:5000/a:v1"),
                        "moduleSources.registries"),
                row("repository", "{moduleSources: {repositories: [ghcr.io/a]}}", tenant(a)),
                row(
                        "repository differs",
                        "{moduleSources: {repositories: [ghcr.io/a]}}",
                        tenant(b),
                        "moduleSources.repositories"),
                row("prefix", "{moduleSources: {repositories: [ghcr.io/t/*]}}", tenant("ghcr.io/t/x/y:v1")),
                row(
                        "a repository with the same prefix",
                        "{moduleSources: {repositories: [ghcr.io/t/*]}}",
                        tenant("ghcr.io/team:v1"),
                        "moduleSources.repositories"),
                row("everything of a host", "{moduleSources: {repositories: [ghcr.io/*]}}", tenant(a)),
                row(
                        "web path",
                        "{moduleSources: {repositories: [example.com/p/*]}}",
                        tenant("https://example.com/p/a.wasm")),
                row(
                        "registry or repository",
                        "{moduleSources: {registries: [quay.io], repositories: [ghcr.io/a]}}",
                        tenant(a, "quay.io/x:v1", b),
                        "moduleSources.repositories"),
                row("signature of a registry", "{requireSignature: true}", tenant(a)),
                row(
                        "no signatures on web servers",
                        "{requireSignature: true}",
                        cluster("https://h/p"),
                        "requireSignature"),
                row("below the limit", "{maxPoliciesPerNamespace: 2}", after(1, Set.of(), a)),
                row("at the limit", "{maxPoliciesPerNamespace: 2}", after(2, Set.of(), a), "maxPoliciesPerNamespace"),
                row("limit zero", "{maxPoliciesPerNamespace: 0}", tenant(a), "maxPoliciesPerNamespace"),
                row("no limit cluster-wide", "{maxPoliciesPerNamespace: 0, maxModulesPerNamespace: 0}", cluster(a)),
                row("modules below the limit", "{maxModulesPerNamespace: 2}", after(5, Set.of(a), b)),
                row(
                        "modules beyond the limit",
                        "{maxModulesPerNamespace: 1}",
                        after(5, Set.of(a), b),
                        "maxModulesPerNamespace"),
                row("known modules at the limit", "{maxModulesPerNamespace: 1}", after(5, Set.of(a), a)),
                row("known modules beyond the limit", "{maxModulesPerNamespace: 1}", after(5, Set.of(a, b), a)),
                row("one module in two spellings", "{maxModulesPerNamespace: 1}", tenant(a, "ghcr.io/a:v1")),
                row(
                        "two tags are two modules",
                        "{maxModulesPerNamespace: 1}",
                        tenant(a, "ghcr.io/a:v2"),
                        "maxModulesPerNamespace"),
                row(
                        "reads of a tenant, no rule",
                        "{}",
                        reading(PolicyKind.ADMISSION_POLICY_GROUP, "v1:ConfigMap"),
                        "contextAwareResources"),
                row(
                        "reads of a cluster-wide group",
                        "{}",
                        reading(PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP, "v1:Secret")),
                row(
                        "reads of a listed kind",
                        "{contextAwareResources: [{apiVersion: v1, kind: ConfigMap}]}",
                        reading(PolicyKind.ADMISSION_POLICY_GROUP, "v1:ConfigMap")),
                row(
                        "reads of another kind",
                        "{contextAwareResources: [{apiVersion: v1, kind: ConfigMap}]}",
                        reading(PolicyKind.ADMISSION_POLICY_GROUP, "v1:ConfigMap", "v1:Secret"),
                        "contextAwareResources"),
                row(
                        "reads of another version",
                        "{contextAwareResources: [{apiVersion: v1, kind: Deployment}]}",
                        reading(PolicyKind.ADMISSION_POLICY_GROUP, "apps/v1:Deployment"),
                        "contextAwareResources"),
                row(
                        "several rules at once",
                        "{namespaceSelector: {matchLabels: {x: y}}, moduleSources: {registries: [q]}, maxPoliciesPerNamespace: 0}",
                        tenant(a),
                        "namespaceSelector",
                        "moduleSources.registries",
                        "maxPoliciesPerNamespace"));
    }

    @ParameterizedTest
    @MethodSource
    void rules(Case row) {
        assertThat(rules(row.tenancy()).check(row.use()))
                .extracting(violation -> violation.rule().field())
                .containsExactlyElementsOf(row.violated());
    }

    @Test
    void rejectsAllModulesWhenSignaturesAreRequiredButNotVerified() {
        var unverified =
                new TenancyRules("shared", spec("{requireSignature: true}").tenancy(), false);

        assertThat(unverified.check(tenant("ghcr.io/a:v1")))
                .singleElement()
                .satisfies(violation -> assertThat(violation.message()).contains("no spec.verificationConfig"));
    }

    @Test
    void namesRuleServerFindingAndAllowedValues() {
        var violations = rules(
                        "{namespaceSelector: {matchLabels: {tenant: b}}, moduleSources: {registries: [quay.io]}, maxPoliciesPerNamespace: 0}")
                .check(tenant("ghcr.io/a:v1"));

        assertThat(violations)
                .extracting(TenancyViolation::message)
                .containsExactly(
                        "violates the tenancy rule namespaceSelector of PolicyServer shared: the labels of namespace team-a do not match; allowed: namespaces with tenant=b. A cluster administrator can change spec.tenancy.namespaceSelector",
                        "violates the tenancy rule moduleSources.registries of PolicyServer shared: the module comes from ghcr.io; allowed: quay.io. A cluster administrator can change spec.tenancy.moduleSources.registries",
                        "violates the tenancy rule maxPoliciesPerNamespace of PolicyServer shared: namespace team-a already has 0 policies on this server; allowed: at most 0. A cluster administrator can change spec.tenancy.maxPoliciesPerNamespace");
        assertThat(TenancyRules.summary(violations))
                .startsWith("spec.policyServer violates")
                .contains("; spec.policies[m0].module violates");
    }

    @Test
    void namesTheKindsThatAMemberMayNotRead() {
        assertThat(rules("{contextAwareResources: [{apiVersion: v1, kind: ConfigMap}]}")
                        .check(reading(
                                PolicyKind.ADMISSION_POLICY_GROUP, "v1:Secret", "apps/v1:Deployment", "v1:ConfigMap")))
                .containsExactly(new TenancyViolation(
                        TenancyRule.CONTEXT_AWARE_RESOURCES,
                        "spec.policies[m].contextAwareResources",
                        "violates the tenancy rule contextAwareResources of PolicyServer shared: the member reads"
                                + " apps/v1/Deployment, v1/Secret; allowed: v1/ConfigMap. A cluster administrator can"
                                + " change spec.tenancy.contextAwareResources"));
        assertThat(rules("{}").check(reading(PolicyKind.ADMISSION_POLICY_GROUP, "v1:Secret")))
                .singleElement()
                .satisfies(violation -> assertThat(violation.message()).contains("; allowed: nothing. "));
    }

    @Test
    void collectsTheResourcesThatMembersRead() {
        var reader = new PolicyContent.Member("a", null, null, List.of(new ContextAwareResource("v1", "Pod")));
        var other = new PolicyContent.Member("b", null, null, List.of());

        assertThat(PolicyUse.contextAwareResources(
                        new PolicyContent.Group(Map.of("reader", reader, "other", other), "reader()", "no")))
                .isEqualTo(Map.of(
                        "spec.policies[reader].contextAwareResources", Set.of(new ContextAwareResource("v1", "Pod"))));
    }

    @Test
    void collectsTheModulesOfPoliciesByField() {
        var group = new PolicyContent.Group(
                Map.of("m", new PolicyContent.Member("ghcr.io/a:v1", null, null, List.of())), "m()", "no");
        var single = new PolicyContent.Single("ghcr.io/b:v1", null, null, List.of(), false, null);

        assertThat(PolicyUse.modules(group)).isEqualTo(Map.of("spec.policies[m].module", "ghcr.io/a:v1"));
        assertThat(PolicyUse.modules(single)).isEqualTo(Map.of("spec.module", "ghcr.io/b:v1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{}; []",
                "{namespacedPoliciesCapabilities: ['*']}; ['*']",
                "{tenancy: {capabilities: [net/*]}}; [net/*]",
                "{tenancy: {capabilities: []}}; []",
                "{tenancy: {}, namespacedPoliciesCapabilities: [net/*]}; [net/*]",
            })
    void namespacedPoliciesHaveNoCapabilitiesUnlessTheServerGrantsThem(String spec, String capabilities) {
        var read = PolicyServerSpec.read(Serialization.unmarshal("---\n" + spec, ObjectNode.class));

        assertThat(read.namespacedCapabilities())
                .isEqualTo(List.of(Serialization.unmarshal("---\n" + capabilities, String[].class)));
    }

    /** An additional rule never allows a policy that was rejected before. */
    @Test
    void addingARuleNeverAllowsMore() {
        var random = new Random(SEED);
        var rules = List.of(
                "namespaceSelector: {matchLabels: {tenant: b}}",
                "moduleSources: {registries: [ghcr.io]}",
                "requireSignature: true",
                "maxPoliciesPerNamespace: 1",
                "maxModulesPerNamespace: 1");
        var modules = List.of(
                "ghcr.io/a:v1", "quay.io/a:v1", "https://ghcr.io/a", "file:///x", "ghcr.io/b:v1", "http://h/../x", "p");
        for (int i = 0; i < 200; i++) {
            var some = new ArrayList<String>();
            rules.forEach(rule -> {
                if (random.nextBoolean()) {
                    some.add(rule);
                }
            });
            var more = new ArrayList<>(some);
            rules.stream().filter(rule -> !some.contains(rule)).findAny().ifPresent(more::add);
            var own = Stream.generate(() -> modules.get(random.nextInt(modules.size())))
                    .limit(1 + random.nextInt(3))
                    .toArray(String[]::new);
            var use = after(random.nextInt(3), Set.of("registry://ghcr.io/a:v1"), own);

            var few = rules("{" + String.join(", ", some) + "}").check(use);
            var all = rules("{" + String.join(", ", more) + "}").check(use);

            assertThat(all.isEmpty() && !few.isEmpty())
                    .as("-Dseed=%d, run %d: %s allows a policy that %s rejects", SEED, i, more, some)
                    .isFalse();
        }
    }
}
