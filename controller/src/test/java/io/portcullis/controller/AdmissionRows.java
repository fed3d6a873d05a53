package io.portcullis.controller;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The rows of rejected objects: a change to a valid object, and the expected fields and messages. */
final class AdmissionRows {

    static final String VALUE = "Required value: a value must be specified";
    private static final String TENANT = " when using AdmissionPolicy or AdmissionPolicyGroup";

    private AdmissionRows() {}

    private static Arguments row(String what, String kind, String change, String... expected) {
        return arguments(what, kind, change, List.of(expected));
    }

    private static String rules(String rule) {
        return "{\"rules\": [" + rule + "]}";
    }

    static String rule(String groups, String versions, String resources, String operations) {
        return rules("{\"apiGroups\": %s, \"apiVersions\": %s, \"resources\": %s, \"operations\": %s}"
                .formatted(groups, versions, resources, operations));
    }

    private static String sensitive(String group, String resource) {
        return "spec.rules: Forbidden: {APIGroup: %s, Resource: %s} resources cannot be targeted by AdmissionPolicy or AdmissionPolicyGroup"
                .formatted(group, resource);
    }

    static Stream<Arguments> policies() {
        var cap = "ClusterAdmissionPolicy";
        var ap = "AdmissionPolicy";
        var conditions = IntStream.range(0, 65)
                .mapToObj(i -> "{\"name\": \"c%d\", \"expression\": \"true\"}".formatted(i))
                .collect(Collectors.joining(","));
        return Stream.of(
                row("1 no rules", cap, "{\"rules\": []}", "spec.rules: " + VALUE),
                row(
                        "2 no operations",
                        cap,
                        rule("[\"\"]", "[\"v1\"]", "[\"pods\"]", "[]"),
                        "spec.rules.operations: " + VALUE),
                row(
                        "3 no apiVersions",
                        cap,
                        rule("[\"\"]", "[]", "[\"pods\"]", "[\"CREATE\"]"),
                        "spec.rules: Required value: apiVersions and resources must have specified values"),
                row(
                        "3 no resources",
                        ap,
                        rule("[\"\"]", "[\"v1\"]", "[]", "[\"CREATE\"]"),
                        "spec.rules: Required value: apiVersions and resources must have specified values"),
                row(
                        "4 empty operation",
                        cap,
                        rule("[\"\"]", "[\"v1\"]", "[\"pods\"]", "[\"\"]"),
                        "spec.rules.operations[0]: Required value: must be non-empty"),
                row(
                        "5 empty apiVersion",
                        cap,
                        rule("[\"\"]", "[\"\"]", "[\"pods\"]", "[\"CREATE\"]"),
                        "spec.rules.rule.apiVersions[0]: Required value: must be non-empty"),
                row(
                        "5 empty resource",
                        cap,
                        rule("[\"\"]", "[\"v1\"]", "[\"pods\", \"\"]", "[\"CREATE\"]"),
                        "spec.rules.rule.resources[1]: Required value: must be non-empty"),
                row(
                        "6 a tenant uses wildcards",
                        ap,
                        rule("[\"*\"]", "[\"v1\"]", "[\"*\"]", "[\"CREATE\"]"),
                        "spec.rules.apiGroups[0]: Forbidden: apiGroups cannot use wildcards" + TENANT,
                        "spec.rules.resources[0]: Forbidden: resources cannot use wildcards" + TENANT),
                row(
                        "6 with sub-resources",
                        "AdmissionPolicyGroup",
                        rule("[\"*\"]", "[\"v1\"]", "[\"*/*\"]", "[\"CREATE\"]"),
                        "spec.rules.apiGroups[0]: Forbidden: apiGroups cannot use wildcards" + TENANT,
                        "spec.rules.resources[0]: Forbidden: resources cannot use wildcards" + TENANT),
                row(
                        "7 reports, by their exact version, which upstream's check misses",
                        ap,
                        rule("[\"wgpolicyk8s.io\"]", "[\"v1alpha2\"]", "[\"policyreports\"]", "[\"CREATE\"]"),
                        sensitive("wgpolicyk8s.io", "policyreports")),
                row(
                        "7 reports, sub-resource",
                        ap,
                        rule("[\"*\"]", "[\"*\"]", "[\"policyreports/status\"]", "[\"CREATE\"]"),
                        sensitive("wgpolicyk8s.io", "policyreports")),
                row(
                        "7 the newer reports",
                        "AdmissionPolicyGroup",
                        rule("[\"openreports.io\"]", "[\"v1alpha1\"]", "[\"*\"]", "[\"CREATE\"]"),
                        sensitive("openreports.io", "reports")),
                row(
                        "7 our own resources",
                        ap,
                        rule("[\"policies.kubewarden.io\"]", "[\"v1\"]", "[\"admissionpolicies\"]", "[\"CREATE\"]"),
                        sensitive("policies.kubewarden.io", "admissionpolicies")),
                row(
                        "7 leases",
                        ap,
                        rule("[\"coordination.k8s.io\"]", "[\"v1\"]", "[\"leases\"]", "[\"UPDATE\"]"),
                        sensitive("coordination.k8s.io", "leases")),
                row(
                        "8 too many conditions",
                        cap,
                        "{\"matchConditions\": [" + conditions + "]}",
                        "spec.matchConditions: Too many: 65: must have at most 64 items"),
                row(
                        "9 blank expression",
                        cap,
                        "{\"matchConditions\": [{\"name\": \"c\", \"expression\": \" \"}]}",
                        "spec.matchConditions[0].expression: Required value: must be non-empty"),
                row(
                        "11 no name",
                        cap,
                        "{\"matchConditions\": [{\"name\": \"\", \"expression\": \"true\"}]}",
                        "spec.matchConditions[0].name: Required value: must be non-empty"),
                row(
                        "14 evaluation longer than the webhook",
                        cap,
                        "{\"timeoutSeconds\": 5, \"timeoutEvalSeconds\": 6}",
                        "spec.timeoutEvalSeconds: Invalid value: 6: timeoutEvalSeconds cannot be greater than timeoutSeconds"),
                row(
                        "all operations and one more",
                        cap,
                        rule("[\"\"]", "[\"v1\"]", "[\"pods\"]", "[\"*\", \"CREATE\"]"),
                        "spec.rules.operations: Invalid value: \"*,CREATE\": if '*' is present, must not specify other operations"),
                row(
                        "no apiGroups",
                        cap,
                        rule("[]", "[\"v1\"]", "[\"pods\"]", "[\"CREATE\"]"),
                        "spec.rules.apiGroups: " + VALUE),
                row(
                        "unknown scheme",
                        cap,
                        "{\"module\": \"ftp://example.com/p\"}",
                        "spec.module: Invalid value: \"ftp://example.com/p\": the scheme must be registry, https, http or file"),
                row(
                        "a file in a cluster",
                        cap,
                        "{\"module\": \"file:///dev/zero\"}",
                        "spec.module: Forbidden: violates the tenancy rule moduleSources.schemes of PolicyServer admission-it: a policy server in a cluster does not load modules from files; allowed: registry, https, http"),
                row(
                        "a file of a tenant",
                        ap,
                        "{\"module\": \"file:///etc/passwd\"}",
                        "spec.module: Forbidden: violates the tenancy rule moduleSources.schemes of PolicyServer admission-it: a policy server in a cluster does not load modules from files; allowed: registry, https, http"),
                row(
                        "two conditions of one name",
                        cap,
                        "{\"matchConditions\": [{\"name\": \"c\", \"expression\": \"true\"}, {\"name\": \"c\", \"expression\": \"true\"}]}",
                        "spec.matchConditions[1]: Duplicate value: {\"name\":\"c\"}"));
    }

    static Stream<Arguments> groups() {
        var group = "ClusterAdmissionPolicyGroup";
        return Stream.of(
                row(
                        "no members",
                        group,
                        "{\"policies\": {}, \"expression\": \"true\"}",
                        "spec.policies: Required value: policy groups must have at least one policy member"),
                row(
                        "reserved word",
                        group,
                        "{\"policies\": {\"while\": {\"module\": \"registry://example.com/a:v1\"}}}",
                        "spec.policies: Invalid value: \"while\": policy group member name is invalid"),
                row(
                        "not a name",
                        "AdmissionPolicyGroup",
                        "{\"policies\": {\"a-b\": {\"module\": \"registry://example.com/a:v1\"}}}",
                        "spec.policies: Invalid value: \"a-b\": policy group member name is invalid"),
                row(
                        "no expression",
                        group,
                        "{\"expression\": \"\"}",
                        "spec.expression: Required value: must be non-empty"),
                row(
                        "does not compile",
                        group,
                        "{\"expression\": \"a() && c()\"}",
                        "spec.expression: Invalid value: \"a() && c()\": compilation failed: 'c' is not a member of the group (line 1, position 9)"),
                row(
                        "not a boolean",
                        group,
                        "{\"expression\": \"1\"}",
                        "spec.expression: Invalid value: \"1\": must evaluate to bool"),
                row("no message", group, "{\"message\": \"\"}", "spec.message: Required value: must be non-empty"),
                row(
                        "member longer than the group",
                        group,
                        "{\"timeoutSeconds\": 5, \"policies\": {\"a\": {\"timeoutEvalSeconds\": 6}}}",
                        "spec.policies[a].timeoutEvalSeconds: Invalid value: 6: timeoutEvalSeconds cannot be greater than the group's timeoutSeconds"),
                row(
                        "members together longer than the group",
                        group,
                        "{\"timeoutSeconds\": 5, \"policies\": {\"a\": {\"timeoutEvalSeconds\": 3}, \"b\": {\"timeoutEvalSeconds\": 3}}}",
                        "spec.policies: Invalid value: 6: the sum of the members' timeoutEvalSeconds cannot be greater than the group's timeoutSeconds"),
                row(
                        "members together longer than any webhook",
                        group,
                        "{\"timeoutSeconds\": 30, \"policies\": {\"a\": {\"timeoutEvalSeconds\": 20}, \"b\": {\"timeoutEvalSeconds\": 20}}}",
                        "spec.policies: Invalid value: 40: the sum of the members' timeoutEvalSeconds cannot be greater than 30 seconds (Kubernetes webhook max timeout)"),
                row(
                        "member longer than any webhook",
                        group,
                        "{\"timeoutSeconds\": 30, \"policies\": {\"a\": {\"timeoutEvalSeconds\": 31}}}",
                        "spec.policies.a.timeoutEvalSeconds: Invalid value: 31: spec.policies.a.timeoutEvalSeconds in body should be less than or equal to 30"));
    }

    static Stream<Arguments> servers() {
        var server = "PolicyServer";
        return Stream.of(
                row(
                        "2 no such Secret",
                        server,
                        "{\"imagePullSecret\": \"nope\"}",
                        "spec.imagePullSecret: Invalid value: \"nope\": cannot get spec.imagePullSecret: secrets \"nope\" not found"),
                row(
                        "3 Secret of another type",
                        server,
                        "{\"imagePullSecret\": \"opaque\"}",
                        "spec.imagePullSecret: Invalid value: \"opaque\": spec.imagePullSecret secret \"opaque\" is not of type kubernetes.io/dockerconfigjson"),
                row(
                        "4 no such trust config",
                        server,
                        "{\"sigstoreTrustConfig\": \"nope\"}",
                        "spec.sigstoreTrustConfig: Invalid value: \"nope\": cannot get spec.sigstoreTrustConfig ConfigMap: configmaps \"nope\" not found"),
                row(
                        "5 trust config without its key",
                        server,
                        "{\"sigstoreTrustConfig\": \"empty\"}",
                        "spec.sigstoreTrustConfig: Invalid value: \"empty\": spec.sigstoreTrustConfig ConfigMap \"empty\" does not contain required key \"sigstore-trust-config\""),
                row(
                        "6 two disruption budgets",
                        server,
                        "{\"minAvailable\": 1, \"maxUnavailable\": 1}",
                        "spec: Invalid value: \"minAvailable: 1, maxUnavailable: 1\": minAvailable and maxUnavailable cannot be both set"),
                row(
                        "7 negative limit",
                        server,
                        "{\"limits\": {\"cpu\": \"-1\"}}",
                        "spec.limits.cpu: Invalid value: \"-1\": must be greater than or equal to 0"),
                row(
                        "8 negative request",
                        server,
                        "{\"requests\": {\"memory\": \"-1Mi\"}}",
                        "spec.requests.memory: Invalid value: \"-1Mi\": must be greater than or equal to 0"),
                row(
                        "9 request beyond the limit",
                        server,
                        "{\"limits\": {\"cpu\": \"1\"}, \"requests\": {\"cpu\": \"2\"}}",
                        "spec.requests.cpu: Invalid value: \"2\": must be less than or equal to cpu limit of 1"),
                row(
                        "10 unknown capability",
                        server,
                        "{\"namespacedPoliciesCapabilities\": [\"*\", \"oci/v9/verify\"]}",
                        "spec.namespacedPoliciesCapabilities[1]: Invalid value: \"oci/v9/verify\": unknown segment \"v9\", must be one of: v1, v2"),
                row(
                        "10 half a path",
                        server,
                        "{\"namespacedPoliciesCapabilities\": [\"oci/v1\"]}",
                        "spec.namespacedPoliciesCapabilities[0]: Invalid value: \"oci/v1\": incomplete capability path, did you mean \"oci/v1/*\"?"),
                row(
                        "11 one port for two",
                        server,
                        "{\"readinessProbePort\": 8443}",
                        "spec.readinessProbePort: Invalid value: 8443: readinessProbePort must differ from webhookPort (8443)"),
                row(
                        "a registry that is none",
                        server,
                        "{\"tenancy\": {\"moduleSources\": {\"registries\": [\"https://ghcr.io\"]}}}",
                        "spec.tenancy.moduleSources.registries[0]: Invalid value: \"https://ghcr.io\": must be a host with an optional port, such as registry.example.com:5000"),
                row(
                        "signatures without a verification config",
                        server,
                        "{\"tenancy\": {\"requireSignature\": true}}",
                        "spec.tenancy.requireSignature: Invalid value: \"true\": spec.verificationConfig must say which signatures are accepted"),
                row(
                        "the account of the controller",
                        server,
                        "{\"serviceAccountName\": \"kubewarden-controller\"}",
                        "spec.serviceAccountName: Invalid value: \"kubewarden-controller\": is the account of the controller, which no PolicyServer may use"),
                row(
                        "no such verification config",
                        server,
                        "{\"verificationConfig\": \"nope\"}",
                        "spec.verificationConfig: Invalid value: \"nope\": cannot get spec.verificationConfig ConfigMap: configmaps \"nope\" not found"),
                row(
                        "verification config without its key",
                        server,
                        "{\"verificationConfig\": \"empty\"}",
                        "spec.verificationConfig: Invalid value: \"empty\": spec.verificationConfig ConfigMap \"empty\" does not contain required key \"verification-config\""),
                row(
                        "no certificate",
                        server,
                        "{\"sourceAuthorities\": {\"example.com\": [\"nonsense\"]}}",
                        "spec.sourceAuthorities[example.com][0]: Invalid value: \"\": is not a PEM certificate"),
                row(
                        "reference to no certificate",
                        server,
                        "{\"sourceAuthoritiesFrom\": {\"example.com\": [{}]}}",
                        "spec.sourceAuthoritiesFrom[example.com][0]: Invalid value: \"\": must have exactly one of configMapKeyRef and secretKeyRef"));
    }
}
