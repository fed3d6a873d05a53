package io.portcullis.api.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.testing.Samples;
import io.portcullis.api.validation.PolicyServerValidation.Lookup;
import io.portcullis.api.validation.PolicyServerValidation.Lookups;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One row per rule of spec/controller.md §2.5 and §2.6. */
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
                row("fine", "{}"),
                row(
                        "6 both budgets",
                        "{minAvailable: 1, maxUnavailable: 50%}",
                        "spec: Invalid value: \"minAvailable: 1, maxUnavailable: 50%\": minAvailable and maxUnavailable cannot be both set"),
                row(
                        "7 negative limit",
                        "{limits: {cpu: -1}}",
                        "spec.limits.cpu: Invalid value: \"-1\": must be greater than or equal to 0"),
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
                        "certificate that is none",
                        "{sourceAuthorities: {'host:5000': ['nonsense']}}",
                        "spec.sourceAuthorities[host:5000][0]: Invalid value: \"\": is not a PEM certificate"),
                row("malformed", "{replicas: many}", "spec.replicas: "));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void refusesByPathAndMessage(Case row) {
        var errors = PolicyServerValidation.create(server("x", row.spec()), Lookups.NONE)
                .errors();

        assertThat(errors).hasSameSizeAs(row.errors());
        for (int i = 0; i < errors.size(); i++) {
            assertThat(errors.get(i).toString()).startsWith(row.errors().get(i));
        }
    }

    /** 1: and the Service name that is derived from it must fit too. */
    @Test
    void refusesNamesThatAreTooLong() {
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
                        new Lookups(failed, unused, unused),
                        List.of(
                                "spec.imagePullSecret: Invalid value: \"s\": cannot get spec.imagePullSecret: not found")),
                new Reference(
                        "3 secret of another type",
                        new Lookups(new Lookup.Secret("Opaque"), unused, unused),
                        List.of(
                                "spec.imagePullSecret: Invalid value: \"s\": spec.imagePullSecret secret \"s\" is not of type kubernetes.io/dockerconfigjson")),
                new Reference(
                        "3 secret of the right type",
                        new Lookups(new Lookup.Secret("kubernetes.io/dockerconfigjson"), unused, unused),
                        List.of()),
                new Reference(
                        "4 trust configuration cannot be read",
                        new Lookups(unused, failed, unused),
                        List.of(
                                "spec.sigstoreTrustConfig: Invalid value: \"t\": cannot get spec.sigstoreTrustConfig ConfigMap: not found")),
                new Reference(
                        "5 trust configuration without its key",
                        new Lookups(unused, new Lookup.ConfigMap(Set.of("other")), unused),
                        List.of(
                                "spec.sigstoreTrustConfig: Invalid value: \"t\": spec.sigstoreTrustConfig ConfigMap \"t\" does not contain required key \"sigstore-trust-config\"")),
                new Reference(
                        "verification configuration without its key",
                        new Lookups(unused, unused, new Lookup.ConfigMap(Set.of("other"))),
                        List.of(
                                "spec.verificationConfig: Invalid value: \"v\": spec.verificationConfig ConfigMap \"v\" does not contain required key \"verification-config\"")));
    }

    @ParameterizedTest
    @MethodSource("references")
    void refusesWhatRefersToNothingUsable(Reference row) {
        assertThat(create("x", row.lookups())).isEqualTo(row.errors());
    }

    @Test
    void newerChecksOnlyWarnOnUpdate() {
        var lookups = new Lookups(new Lookup.Unused(), new Lookup.Unused(), new Lookup.Failed("not found"));

        var validation = PolicyServerValidation.update(server("x", "{verificationConfig: v}"), lookups);

        assertThat(validation.isAdmitted()).isTrue();
        assertThat(validation.warnings())
                .containsExactly("spec.verificationConfig: cannot get spec.verificationConfig ConfigMap: not found");
    }

    @Test
    void deletionIsAllowedWithAWarningAndForTheDefaultCanBeRefused() {
        assertThat(PolicyServerValidation.delete("default", 2, false).warnings())
                .containsExactly("2 policies in protect mode lose their enforcement with PolicyServer default");
        assertThat(PolicyServerValidation.delete("default", 0, false)).isEqualTo(Validation.FINE);
        assertThat(PolicyServerValidation.delete("default", 0, true).errors())
                .extracting(FieldError::toString)
                .containsExactly("metadata.name: Forbidden: the default PolicyServer cannot be deleted");
        assertThat(PolicyServerValidation.delete("other", 0, true).isAdmitted()).isTrue();
    }

    @Test
    void finalizerIsSetUnlessTheServerIsBeingDeleted() {
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
