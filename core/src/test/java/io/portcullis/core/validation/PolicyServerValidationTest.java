package io.portcullis.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.core.validation.PolicyServerValidation.Lookup;
import io.portcullis.core.validation.PolicyServerValidation.Lookups;
import io.portcullis.testkit.sample.Samples;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the rules for PolicyServers and for patterns of host capabilities, one row per rule. */
class PolicyServerValidationTest {

    record Case(String name, String spec, List<String> errors) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Case row(String name, String spec, String... errors) {
        return new Case(name, spec, List.of(errors));
    }

    private static Case capability(String pattern, String problem) {
        return row(
                "10 " + pattern,
                "{namespacedPoliciesCapabilities: ['%s']}".formatted(pattern),
                "spec.namespacedPoliciesCapabilities[0]: Invalid value: \"%s\": %s".formatted(pattern, problem));
    }

    static Stream<Case> rules() {
        return Stream.of(
                row("valid", "{}"),
                row(
                        "6 both budgets",
                        "{minAvailable: 1, maxUnavailable: 50%}",
                        "spec: Invalid value: \"minAvailable: 1, maxUnavailable: 50%\": minAvailable and maxUnavailable cannot be both set"),
                row(
                        "7 negative limit",
                        "{limits: {cpu: -1}}",
                        "spec.limits.cpu: Invalid value: \"-1\": must be greater than or equal to 0"),
                row("7 limit of zero", "{limits: {cpu: 0}}"),
                row(
                        "8 negative request",
                        "{requests: {memory: -1Gi}}",
                        "spec.requests.memory: Invalid value: \"-1Gi\": must be greater than or equal to 0"),
                row(
                        "9 request above limit",
                        "{limits: {memory: 1Gi}, requests: {memory: 1025Mi}}",
                        "spec.requests.memory: Invalid value: \"1025Mi\": must be less than or equal to memory limit of 1Gi"),
                row("9 request equal to limit in another unit", "{limits: {cpu: 1}, requests: {cpu: 1000m}}"),
                row(
                        "10 everything",
                        "{namespacedPoliciesCapabilities: ['*', 'oci/*', 'oci/v1/*', 'kubernetes/can_i']}"),
                row("10 nothing", "{namespacedPoliciesCapabilities: []}"),
                capability("", "capability must not be empty"),
                capability("oci/*/verify", "the wildcard '*' must be the complete last segment"),
                capability("oci/v*", "the wildcard '*' must be the complete last segment"),
                capability("cloud/v1", "unknown segment \"cloud\", must be one of: crypto, kubernetes, net, oci"),
                capability("oci/v3/verify", "unknown segment \"v3\", must be one of: v1, v2"),
                capability("oci/v2/verify/more", "nothing may follow the capability \"oci/v2/verify\""),
                capability("oci/v2/verify/*", "nothing may follow the capability \"oci/v2/verify\""),
                capability("oci/v1", "incomplete capability path, did you mean \"oci/v1/*\"?"),
                row(
                        "11 ports equal",
                        "{webhookPort: 9000, readinessProbePort: 9000}",
                        "spec.readinessProbePort: Invalid value: 9000: readinessProbePort must differ from webhookPort (9000)"),
                row(
                        "11 port equal to the other's default",
                        "{readinessProbePort: 8443}",
                        "spec.readinessProbePort: Invalid value: 8443: readinessProbePort must differ from webhookPort (8443)"),
                row(
                        "invalid certificate",
                        "{sourceAuthorities: {'host:5000': ['nonsense']}}",
                        "spec.sourceAuthorities[host:5000][0]: Invalid value: \"\": is not a PEM certificate"),
                row(
                        "references to certificates",
                        "{sourceAuthoritiesFrom: {h: [{configMapKeyRef: {name: a, key: b}}, {secretKeyRef: {name: a, key: b}}]}}"),
                row(
                        "reference to nothing",
                        "{sourceAuthoritiesFrom: {'host:5000': [{}]}}",
                        "spec.sourceAuthoritiesFrom[host:5000][0]: Invalid value: \"\": must have exactly one of configMapKeyRef and secretKeyRef"),
                row(
                        "reference to two objects",
                        "{sourceAuthoritiesFrom: {h: [{configMapKeyRef: {name: a, key: b}, secretKeyRef: {name: a, key: b}}]}}",
                        "spec.sourceAuthoritiesFrom[h][0]: Invalid value: \"\": must have exactly one of configMapKeyRef and secretKeyRef"),
                row(
                        "references without name or key",
                        "{sourceAuthoritiesFrom: {h: [{configMapKeyRef: {name: '', key: b}}, {secretKeyRef: {name: a}}]}}",
                        "spec.sourceAuthoritiesFrom[h][0].configMapKeyRef.name: Invalid value: \"\": must not be empty",
                        "spec.sourceAuthoritiesFrom[h][1].secretKeyRef.key: Invalid value: \"\": must not be empty"),
                row("malformed", "{replicas: many}", "spec.replicas: "));
    }

    private static String networks(int count) {
        return String.join(", ", Collections.nCopies(count, "registry.internal"));
    }

    private static Case tenancy(String name, String tenancy, String... errors) {
        return row("tenancy: " + name, "{verificationConfig: v, tenancy: " + tenancy + "}", errors);
    }

    static Stream<Case> tenancyRules() {
        var registry = "must be a host with an optional port, such as registry.example.com:5000";
        var repository = "must be a host and a path, such as registry.example.com/policies/*";
        var resource = "must have an apiVersion such as v1 or apps/v1, and a kind such as ConfigMap";
        var network = "must be an address range such as 10.0.0.0/8, a host name, or * for all";
        return Stream.of(
                tenancy("empty", "{}"),
                tenancy("everything", """
                        {namespaceSelector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: Exists}]},
                         moduleSources: {schemes: [registry], registries: [ghcr.io, 'localhost:5000', '[::1]:5000'],
                                         repositories: [ghcr.io/*, 'h:1/a/b', h/a.b_c/*]},
                         requireSignature: true, maxPoliciesPerNamespace: 0, maxModulesPerNamespace: 5, capabilities: [],
                         contextAwareResources: [{apiVersion: v1, kind: ConfigMap}, {apiVersion: networking.k8s.io/v1beta1, kind: Ingress}],
                         hostCalls: {allowedNetworks: [10.0.0.0/8, 10.0.0.1/32, 0.0.0.0/0, 192.168.1.1, 'fd00::/8', 'fd00::1/128', '::1', registry.internal, '*']}}"""),
                tenancy("as many entries as allowed", "{hostCalls: {allowedNetworks: [" + networks(64) + "]}}"),
                tenancy(
                        "too many entries",
                        "{hostCalls: {allowedNetworks: [" + networks(65) + "]}}",
                        "spec.tenancy.hostCalls.allowedNetworks: Too many: 65: must have at most 64 items"),
                tenancy(
                        "unknown operator",
                        "{namespaceSelector: {matchExpressions: [{key: a, operator: Like, values: [b]}]}}",
                        "spec.tenancy.namespaceSelector.matchExpressions[0].operator: Invalid value: \"Like\": must be one of: In, NotIn, Exists, DoesNotExist"),
                tenancy(
                        "no values",
                        "{namespaceSelector: {matchExpressions: [{key: a, operator: In}]}}",
                        "spec.tenancy.namespaceSelector.matchExpressions[0].values: Required value: must be specified when operator is In"),
                tenancy(
                        "needless values",
                        "{namespaceSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}",
                        "spec.tenancy.namespaceSelector.matchExpressions[0].values: Forbidden: may not be specified when operator is Exists"),
                tenancy(
                        "files",
                        "{moduleSources: {schemes: [registry, file]}}",
                        "spec.tenancy.moduleSources.schemes[1]: Invalid value: \"file\": must be one of: registry, https, http"),
                tenancy(
                        "empty lists",
                        "{moduleSources: {schemes: [], registries: [], repositories: []}}",
                        "spec.tenancy.moduleSources.schemes: Required value: must have at least one entry; leave the field out to allow all",
                        "spec.tenancy.moduleSources.registries: Required value",
                        "spec.tenancy.moduleSources.repositories: Required value"),
                tenancy(
                        "registries that are none",
                        "{moduleSources: {registries: ['', 'https://ghcr.io', ghcr.io/a, '*']}}",
                        "spec.tenancy.moduleSources.registries[0]: Invalid value: \"\": " + registry,
                        "spec.tenancy.moduleSources.registries[1]: Invalid value: \"https://ghcr.io\": " + registry,
                        "spec.tenancy.moduleSources.registries[2]: Invalid value: \"ghcr.io/a\": " + registry,
                        "spec.tenancy.moduleSources.registries[3]: Invalid value: \"*\": " + registry),
                tenancy(
                        "repositories that are none",
                        "{moduleSources: {repositories: [ghcr.io, /a, 'registry://ghcr.io/a', ghcr.io/a*, 'ghcr.io/*/b']}}",
                        "spec.tenancy.moduleSources.repositories[0]: Invalid value: \"ghcr.io\": " + repository,
                        "spec.tenancy.moduleSources.repositories[1]: Invalid value: \"/a\": " + repository,
                        "spec.tenancy.moduleSources.repositories[2]: Invalid value: \"registry://ghcr.io/a\": "
                                + repository,
                        "spec.tenancy.moduleSources.repositories[3]: Invalid value: \"ghcr.io/a*\": " + repository,
                        "spec.tenancy.moduleSources.repositories[4]: Invalid value: \"ghcr.io/*/b\": " + repository),
                row(
                        "tenancy: signatures required without verification config",
                        "{tenancy: {requireSignature: true}}",
                        "spec.tenancy.requireSignature: Invalid value: \"true\": spec.verificationConfig must say which signatures are accepted"),
                tenancy(
                        "negative limits",
                        "{maxPoliciesPerNamespace: -1, maxModulesPerNamespace: -2}",
                        "spec.tenancy.maxPoliciesPerNamespace: Invalid value: -1: must be greater than or equal to 0",
                        "spec.tenancy.maxModulesPerNamespace: Invalid value: -2: must be greater than or equal to 0"),
                tenancy(
                        "kinds that cannot exist",
                        "{contextAwareResources: [{apiVersion: '*', kind: Pod}, {apiVersion: v1, kind: pods}, {kind: Pod}]}",
                        "spec.tenancy.contextAwareResources[0]: Invalid value: \"* Pod\": " + resource,
                        "spec.tenancy.contextAwareResources[1]: Invalid value: \"v1 pods\": " + resource,
                        "spec.tenancy.contextAwareResources[2]: Invalid value: \"null Pod\": " + resource),
                tenancy(
                        "unknown capability",
                        "{capabilities: [oci/v9/verify]}",
                        "spec.tenancy.capabilities[0]: Invalid value: \"oci/v9/verify\": unknown segment"),
                row(
                        "tenancy: capabilities differ between the two fields",
                        "{namespacedPoliciesCapabilities: ['*'], tenancy: {capabilities: []}}",
                        "spec.tenancy.capabilities: Invalid value: \"\": differs from spec.namespacedPoliciesCapabilities; set only one of the two fields"),
                row(
                        "tenancy: capabilities are equal in the two fields",
                        "{namespacedPoliciesCapabilities: [net/*], tenancy: {capabilities: [net/*]}}"),
                tenancy(
                        "networks that are none",
                        "{hostCalls: {allowedNetworks: ['', 10.0.0.0/33, '10.1', 'fd00::/129', '10.0.0.0/x', 'http://h', '**', '10.0.0.0/-1', '/8']}}",
                        "spec.tenancy.hostCalls.allowedNetworks[0]: Invalid value: \"\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[1]: Invalid value: \"10.0.0.0/33\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[2]: Invalid value: \"10.1\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[3]: Invalid value: \"fd00::/129\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[4]: Invalid value: \"10.0.0.0/x\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[5]: Invalid value: \"http://h\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[6]: Invalid value: \"**\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[7]: Invalid value: \"10.0.0.0/-1\": " + network,
                        "spec.tenancy.hostCalls.allowedNetworks[8]: Invalid value: \"/8\": " + network),
                tenancy(
                        "of a wrong type",
                        "{maxPoliciesPerNamespace: many}",
                        "spec.tenancy.maxPoliciesPerNamespace: "));
    }

    @ParameterizedTest
    @MethodSource({"rules", "tenancyRules"})
    void rejectsWithPathAndMessage(Case row) {
        var errors = PolicyServerValidation.create(server("x", row.spec()), found(row.spec()))
                .errors();

        assertThat(errors).hasSameSizeAs(row.errors());
        for (int i = 0; i < errors.size(); i++) {
            assertThat(errors.get(i).toString()).startsWith(row.errors().get(i));
        }
    }

    private static Lookups found(String spec) {
        return spec.contains("verificationConfig")
                ? new Lookups(
                        new Lookup.Unused(),
                        new Lookup.Unused(),
                        new Lookup.ConfigMap(Set.of("verification-config")),
                        Optional.empty())
                : Lookups.NONE;
    }

    @Test
    void rejectsServiceAccountsThatAreNotAllowed() {
        var lookups = new Lookups(
                new Lookup.Unused(), new Lookup.Unused(), new Lookup.Unused(), Optional.of("is not allowed"));

        assertThat(PolicyServerValidation.create(server("x", "{serviceAccountName: a}"), lookups)
                        .errors())
                .singleElement()
                .asString()
                .isEqualTo("spec.serviceAccountName: Invalid value: \"a\": is not allowed");
    }

    /** Rule 1. The derived Service name must also fit. */
    @Test
    void rejectsNamesThatAreTooLong() {
        assertThat(create("x".repeat(49), Lookups.NONE)).isEmpty();
        assertThat(create("x".repeat(50), Lookups.NONE))
                .singleElement()
                .asString()
                .endsWith("the PolicyServer name cannot be longer than 49 characters");
        assertThat(PolicyServerValidation.update(server("x".repeat(63), "{}"), Lookups.NONE)
                        .isAdmitted())
                .as("what was admitted before can still be edited")
                .isTrue();
        assertThat(PolicyServerValidation.update(server("x".repeat(64), "{}"), Lookups.NONE)
                        .errors())
                .singleElement()
                .asString()
                .endsWith("the PolicyServer name cannot be longer than 63 characters");
    }

    record Reference(String name, Lookups lookups, List<String> errors) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Reference> references() {
        var unused = new Lookup.Unused();
        var failed = new Lookup.Failed("not found");
        return Stream.of(
                new Reference(
                        "2 secret cannot be read",
                        new Lookups(failed, unused, unused, Optional.empty()),
                        List.of(
                                "spec.imagePullSecret: Invalid value: \"s\": cannot get spec.imagePullSecret: not found")),
                new Reference(
                        "3 secret of another type",
                        new Lookups(new Lookup.Secret("Opaque"), unused, unused, Optional.empty()),
                        List.of(
                                "spec.imagePullSecret: Invalid value: \"s\": spec.imagePullSecret secret \"s\" is not of type kubernetes.io/dockerconfigjson")),
                new Reference(
                        "3 secret of the right type",
                        new Lookups(
                                new Lookup.Secret("kubernetes.io/dockerconfigjson"), unused, unused, Optional.empty()),
                        List.of()),
                new Reference(
                        "3 ConfigMap instead of a secret",
                        new Lookups(new Lookup.ConfigMap(Set.of("a")), unused, unused, Optional.empty()),
                        List.of("spec.imagePullSecret: Invalid value: \"s\": must name a Secret")),
                new Reference(
                        "5 secret instead of a trust configuration",
                        new Lookups(unused, new Lookup.Secret("Opaque"), unused, Optional.empty()),
                        List.of("spec.sigstoreTrustConfig: Invalid value: \"t\": must name a ConfigMap")),
                new Reference(
                        "5 trust configuration with its key",
                        new Lookups(
                                unused,
                                new Lookup.ConfigMap(Set.of("sigstore-trust-config")),
                                unused,
                                Optional.empty()),
                        List.of()),
                new Reference(
                        "4 trust configuration cannot be read",
                        new Lookups(unused, failed, unused, Optional.empty()),
                        List.of(
                                "spec.sigstoreTrustConfig: Invalid value: \"t\": cannot get spec.sigstoreTrustConfig ConfigMap: not found")),
                new Reference(
                        "5 trust configuration without its key",
                        new Lookups(unused, new Lookup.ConfigMap(Set.of("other")), unused, Optional.empty()),
                        List.of(
                                "spec.sigstoreTrustConfig: Invalid value: \"t\": spec.sigstoreTrustConfig ConfigMap \"t\" does not contain required key \"sigstore-trust-config\"")),
                new Reference(
                        "verification configuration without its key",
                        new Lookups(unused, unused, new Lookup.ConfigMap(Set.of("other")), Optional.empty()),
                        List.of(
                                "spec.verificationConfig: Invalid value: \"v\": spec.verificationConfig ConfigMap \"v\" does not contain required key \"verification-config\"")));
    }

    @ParameterizedTest
    @MethodSource("references")
    void rejectsReferencesToUnusableObjects(Reference row) {
        assertThat(create("x", row.lookups())).isEqualTo(row.errors());
    }

    @Test
    void warnsInsteadOfRejectingUpdatesForNewerChecks() {
        var lookups =
                new Lookups(new Lookup.Unused(), new Lookup.Unused(), new Lookup.Failed("not found"), Optional.empty());

        var validation = PolicyServerValidation.update(server("x", "{verificationConfig: v}"), lookups);

        assertThat(validation.isAdmitted()).isTrue();
        assertThat(validation.warnings())
                .containsExactly("spec.verificationConfig: cannot get spec.verificationConfig ConfigMap: not found");
    }

    @Test
    void allowsDeletionWithAWarningAndCanProtectTheDefaultServer() {
        assertThat(PolicyServerValidation.delete("default", 2, false).warnings())
                .containsExactly("2 policies in protect mode lose their enforcement with PolicyServer default");
        assertThat(PolicyServerValidation.delete("default", 0, false)).isEqualTo(Validation.FINE);
        assertThat(PolicyServerValidation.delete("default", 0, true).errors())
                .extracting(FieldError::toString)
                .containsExactly("metadata.name: Forbidden: the default PolicyServer cannot be deleted");
        assertThat(PolicyServerValidation.delete("other", 0, true).isAdmitted()).isTrue();
    }

    @Test
    void namesPoliciesThatLoseEnforcementWhenScaledToZero() {
        assertThat(PolicyServerValidation.scaledToZero("default", List.of())).isEmpty();
        assertThat(PolicyServerValidation.scaledToZero("default", List.of("a", "ns/b")))
                .containsExactly(
                        "2 policies in protect mode stop being enforced while PolicyServer default has no replicas: a, ns/b");
        assertThat(PolicyServerValidation.scaledToZero("default", List.of("a", "b", "c")))
                .singleElement()
                .asString()
                .endsWith("has no replicas: a, b, c");
        assertThat(PolicyServerValidation.scaledToZero("default", List.of("a", "b", "c", "d", "e")))
                .singleElement()
                .asString()
                .startsWith("5 policies")
                .endsWith("a, b, c and 2 more");
    }

    @Test
    void setsTheFinalizerUnlessTheServerIsBeingDeleted() {
        var server = server("x", "{}");
        assertThat(Defaulting.apply(server)).isTrue();
        assertThat(server.getMetadata().getFinalizers()).containsExactly("kubewarden.io/finalizer");
        assertThat(Defaulting.apply(server)).isFalse();

        var leaving = server("x", "{}");
        leaving.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        assertThat(Defaulting.apply(leaving)).isFalse();
    }

    private static List<String> create(String name, Lookups lookups) {
        var server = server(name, "{imagePullSecret: s, sigstoreTrustConfig: t, verificationConfig: v}");
        return PolicyServerValidation.create(server, lookups).errors().stream()
                .map(FieldError::toString)
                .toList();
    }

    private static PolicyServer server(String name, String spec) {
        var server = new PolicyServer();
        server.getMetadata().setName(name);
        var fields = Samples.yaml("{image: i, replicas: 1}");
        fields.setAll(Samples.yaml(spec));
        server.setSpec(fields);
        return server;
    }
}
