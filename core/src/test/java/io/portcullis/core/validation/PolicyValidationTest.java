package io.portcullis.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.core.lifecycle.Revision;
import io.portcullis.core.status.RolloutProgress;
import io.portcullis.core.validation.PolicyValidation.Change;
import io.portcullis.testkit.sample.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the rules for policies, moves to another server, and groups: one row per rule, with exact path and message. */
class PolicyValidationTest {

    private static final String TENANT = " cannot use wildcards when using AdmissionPolicy or AdmissionPolicyGroup";

    private final PolicyValidation validation = new PolicyValidation(IdentityScheme.DOTTED, "kubewarden", true);

    /** A sample policy with some fields of its spec replaced. */
    record Case(String name, PolicyKind kind, String change, List<String> errors) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Case single(String name, String change, String... errors) {
        return new Case(name, PolicyKind.CLUSTER_ADMISSION_POLICY, change, List.of(errors));
    }

    private static Case tenant(String name, String change, String... errors) {
        return new Case(name, PolicyKind.ADMISSION_POLICY, change, List.of(errors));
    }

    private static Case group(String name, String change, String... errors) {
        return new Case(name, PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP, change, List.of(errors));
    }

    private static String rule(String groups, String versions, String resources, String operations) {
        return "{rules: [{apiGroups: %s, apiVersions: %s, resources: %s, operations: %s}]}"
                .formatted(groups, versions, resources, operations);
    }

    private static String sensitive(String group, String resource) {
        return "spec.rules: Forbidden: {APIGroup: %s, Resource: %s} resources cannot be targeted by AdmissionPolicy or AdmissionPolicyGroup"
                .formatted(group, resource);
    }

    static Stream<Case> rules() {
        return Stream.of(
                single("1 no rules", "{rules: []}", "spec.rules: Required value: a value must be specified"),
                single(
                        "2 no operations",
                        rule("['']", "[v1]", "[pods]", "[]"),
                        "spec.rules.operations: Required value: a value must be specified"),
                single(
                        "3 no apiVersions",
                        rule("['']", "[]", "[pods]", "[CREATE]"),
                        "spec.rules: Required value: apiVersions and resources must have specified values"),
                single(
                        "3 no resources",
                        rule("['']", "[v1]", "[]", "[CREATE]"),
                        "spec.rules: Required value: apiVersions and resources must have specified values"),
                single(
                        "4 empty operation",
                        rule("['']", "[v1]", "[pods]", "[CREATE, '']"),
                        "spec.rules.operations[1]: Required value: must be non-empty"),
                single(
                        "5 empty apiVersion",
                        rule("['']", "['']", "[pods]", "[CREATE]"),
                        "spec.rules.rule.apiVersions[0]: Required value: must be non-empty"),
                single(
                        "5 empty resource",
                        rule("['']", "[v1]", "['']", "[CREATE]"),
                        "spec.rules.rule.resources[0]: Required value: must be non-empty"),
                single(
                        "no apiGroups",
                        rule("[]", "[v1]", "[pods]", "[CREATE]"),
                        "spec.rules.apiGroups: Required value: a value must be specified"),
                single(
                        "star beside other operations",
                        rule("['']", "[v1]", "[pods]", "['*', CREATE]"),
                        "spec.rules.operations: Invalid value: \"*,CREATE\": if '*' is present, must not specify other operations"),
                single("cluster kinds may use wildcards", rule("['*']", "['*']", "['*/*']", "['*']")),
                tenant("6 wildcard of groups alone", rule("['*']", "[v1]", "[pods]", "[CREATE]")),
                tenant("6 wildcard of resources alone", rule("[apps]", "[v1]", "['*']", "[CREATE]")),
                tenant(
                        "7 reports, by their real group and version",
                        rule("[wgpolicyk8s.io]", "[v1alpha2]", "[policyreports]", "[CREATE]"),
                        sensitive("wgpolicyk8s.io", "policyreports")),
                tenant(
                        "7 reports, by wildcard of resources",
                        rule("[wgpolicyk8s.io]", "[v1alpha2]", "['*/*']", "[CREATE]"),
                        sensitive("wgpolicyk8s.io", "policyreports")),
                tenant(
                        "7 reports, by sub-resource",
                        rule("['*']", "['*']", "[policyreports/status]", "[CREATE]"),
                        sensitive("wgpolicyk8s.io", "policyreports")),
                tenant(
                        "7 open reports",
                        rule("[openreports.io]", "[v1alpha1]", "[reports]", "[CREATE]"),
                        sensitive("openreports.io", "reports")),
                tenant(
                        "7 leases",
                        rule("[coordination.k8s.io]", "[v1]", "[leases]", "[UPDATE]"),
                        sensitive("coordination.k8s.io", "leases")),
                tenant(
                        "7 our own",
                        rule("[policies.kubewarden.io]", "[v1]", "[policyrevisions]", "[UPDATE]"),
                        sensitive("policies.kubewarden.io", "policyrevisions")),
                tenant(
                        "7 a resource with that name in another group",
                        rule("[example.com]", "[v1]", "[reports]", "[CREATE]")));
    }

    static Stream<Case> matchConditions() {
        return Stream.of(
                single("8 as many as allowed", "{matchConditions: [" + conditions(64) + "]}"),
                single(
                        "8 too many",
                        "{matchConditions: [" + conditions(65) + "]}",
                        "spec.matchConditions: Too many: 65: must have at most 64 items"),
                single(
                        "9 blank expression",
                        "{matchConditions: [{name: a, expression: ' '}]}",
                        "spec.matchConditions[0].expression: Required value: must be non-empty"),
                single(
                        "11 no name",
                        "{matchConditions: [{name: '', expression: 'true'}]}",
                        "spec.matchConditions[0].name: Required value: must be non-empty"),
                single(
                        "12 bad name",
                        "{matchConditions: [{name: 'a b', expression: 'true'}]}",
                        "spec.matchConditions[0]: Invalid value: \"a b\": a qualified name must consist of alphanumeric"
                                + " characters, '-', '_' or '.', and must start and end with an alphanumeric character,"
                                + " with an optional DNS subdomain prefix and '/'"),
                single("12 name with prefix", named("example.com/a")),
                single(
                        "12 empty prefix",
                        named("/a"),
                        "spec.matchConditions[0]: Invalid value: \"/a\": a qualified name"),
                single("12 longest name", named("n".repeat(63))),
                single("12 name too long", named("n".repeat(64)), "spec.matchConditions[0]: Invalid value: \"nn"),
                single("12 longest prefix", named("p".repeat(253) + "/a")),
                single(
                        "12 prefix too long",
                        named("p".repeat(254) + "/a"),
                        "spec.matchConditions[0]: Invalid value: \"pp"),
                single(
                        "13 duplicate",
                        "{matchConditions: [{name: a, expression: 'true'}, {name: a, expression: 'true'}]}",
                        "spec.matchConditions[1].name: Duplicate value: \"a\""));
    }

    private static String conditions(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{name: n" + i + ", expression: 'true'}")
                .collect(Collectors.joining(", "));
    }

    private static String named(String name) {
        return "{matchConditions: [{name: " + name + ", expression: 'true'}]}";
    }

    static Stream<Case> content() {
        return Stream.of(
                single("14 evaluation may take as long as the call", "{timeoutSeconds: 5, timeoutEvalSeconds: 5}"),
                single(
                        "14 evaluation may take longer than the call",
                        "{timeoutSeconds: 5, timeoutEvalSeconds: 6}",
                        "spec.timeoutEvalSeconds: Invalid value: 6: timeoutEvalSeconds cannot be greater than timeoutSeconds"),
                tenant(
                        "14 against the default of the call",
                        "{timeoutEvalSeconds: 11}",
                        "spec.timeoutEvalSeconds: Invalid value: 11: timeoutEvalSeconds cannot be greater than timeoutSeconds"),
                single("module without scheme", "{module: 'ghcr.io/a/b:v1'}"),
                single("module as file", "{module: 'file:///a.wasm'}"),
                single(
                        "module of unknown scheme",
                        "{module: 'ftp://a/b'}",
                        "spec.module: Invalid value: \"ftp://a/b\": the scheme must be registry, https, http or file"),
                single("module empty", "{module: ''}", "spec.module: Required value: must be non-empty"),
                single(
                        "module with a blank",
                        "{module: 'a b'}",
                        "spec.module: Invalid value: \"a b\": is not a valid module reference"),
                single(
                        "module with a scheme only",
                        "{module: 'registry://'}",
                        "spec.module: Invalid value: \"registry://\": is not a valid module reference"),
                single("malformed", "{rules: 5}", "spec.rules: Cannot deserialize value of type"),
                group(
                        "no members",
                        "{policies: {}}",
                        "spec.policies: Required value: policy groups must have at least one policy member"),
                group(
                        "member named by a reserved word",
                        "{policies: {'while': {module: a}}}",
                        "spec.policies: Invalid value: \"while\": policy group member name is invalid"),
                group(
                        "member name is no identifier",
                        "{policies: {a-b: {module: a}}}",
                        "spec.policies: Invalid value: \"a-b\": policy group member name is invalid"),
                group(
                        "member name empty",
                        "{policies: {'': {module: a}}}",
                        "spec.policies: Invalid value: \"\": policy group member name is invalid"),
                group("no expression", "{expression: ''}", "spec.expression: Required value: must be non-empty"),
                group("no message", "{message: ''}", "spec.message: Required value: must be non-empty"),
                group(
                        "member's module",
                        "{policies: {a: {module: ''}}}",
                        "spec.policies[a].module: Required value: must be non-empty"),
                group(
                        "members together may take as long as the group",
                        "{timeoutSeconds: 10, policies: {a: {module: a, timeoutEvalSeconds: 5}, b: {module: a, timeoutEvalSeconds: 5}}}"),
                group(
                        "member may take as long as the longest webhook",
                        "{timeoutSeconds: 30, policies: {a: {module: a, timeoutEvalSeconds: 30}}}"),
                group(
                        "member may take longer than the group",
                        "{timeoutSeconds: 5, policies: {a: {module: a, timeoutEvalSeconds: 6}}}",
                        "spec.policies[a].timeoutEvalSeconds: Invalid value: 6: timeoutEvalSeconds cannot be greater than the group's timeoutSeconds",
                        "spec.policies: Invalid value: 6: the sum of the members' timeoutEvalSeconds cannot be greater than the group's timeoutSeconds"),
                group(
                        "members together may take longer than the group",
                        "{timeoutSeconds: 9, policies: {a: {module: a, timeoutEvalSeconds: 5}, b: {module: a, timeoutEvalSeconds: 5}}}",
                        "spec.policies: Invalid value: 10: the sum of the members' timeoutEvalSeconds cannot be greater than the group's timeoutSeconds"),
                group(
                        "member may take longer than any webhook",
                        "{timeoutSeconds: 31, policies: {a: {module: a, timeoutEvalSeconds: 31}}}",
                        "spec.policies[a].timeoutEvalSeconds: Invalid value: 31: timeoutEvalSeconds cannot be greater than 30 seconds (Kubernetes webhook max timeout)",
                        "spec.policies: Invalid value: 31: the sum of the members' timeoutEvalSeconds cannot be greater than 30 seconds (Kubernetes webhook max timeout)"));
    }

    @ParameterizedTest
    @MethodSource({"rules", "matchConditions", "content"})
    void rejectsWithPathAndMessage(Case row) {
        var policy = changed(row.kind(), row.change());

        var errors = validation.create(policy).errors();

        assertThat(errors).hasSameSizeAs(row.errors());
        for (int i = 0; i < errors.size(); i++) {
            assertThat(errors.get(i).toString()).startsWith(row.errors().get(i));
        }
        assertThat(validation
                        .update(policy, policy, new Change(true, List.of()))
                        .errors())
                .as("an update is held to the same rules")
                .isEqualTo(errors);
    }

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void admitsTheSampleOfEveryKind(PolicyKind kind) {
        assertThat(validation.create(Samples.sample(kind.type()))).isEqualTo(Validation.FINE);
    }

    /** Rule 6. One error names the groups, the other one the resources. */
    @Test
    void rejectsAllGroupsWithAllResourcesForNamespacedPolicies() {
        var policy = changed(PolicyKind.ADMISSION_POLICY_GROUP, rule("['', '*']", "['*']", "[pods, '*']", "[CREATE]"));

        assertThat(validation.create(policy).errors())
                .extracting(FieldError::toString)
                .contains(
                        "spec.rules.apiGroups[1]: Forbidden: apiGroups" + TENANT,
                        "spec.rules.resources[1]: Forbidden: resources" + TENANT);
        assertThat(validation
                        .create(changed(PolicyKind.ADMISSION_POLICY, rule("['*']", "['*']", "['*/*']", "['*']")))
                        .errors())
                .extracting(FieldError::toString)
                .contains(
                        "spec.rules.apiGroups[0]: Forbidden: apiGroups" + TENANT,
                        "spec.rules.resources[0]: Forbidden: resources" + TENANT);
    }

    @Test
    void rejectsNamesThatAreTooLong() {
        var policy = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type());
        policy.getMetadata().setName("x".repeat(225));
        assertThat(validation.create(policy).isAdmitted()).isTrue();

        policy.getMetadata().setName("x".repeat(226));
        assertThat(validation.create(policy).errors())
                .singleElement()
                .satisfies(error -> assertThat(error.path()).isEqualTo("metadata.name"));
    }

    @Test
    void warnsOfPoliciesThatHaveNoEffect() {
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        policy.getMetadata().setNamespace("kubewarden");

        assertThat(validation.create(policy).warnings())
                .containsExactly(
                        "policy servers accept every request of namespace kubewarden, so this policy will not act");
        assertThat(new PolicyValidation(IdentityScheme.DOTTED, "kubewarden", false)
                        .create(policy)
                        .warnings())
                .isEmpty();
    }

    record Transition(String name, String before, String after, boolean mayDelete, List<String> errors) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Transition> transitions() {
        var immutable = "spec.policyServer: Forbidden: the field is immutable for users that cannot delete the policy";
        return Stream.of(
                new Transition("15 set", "{policyServer: ''}", "{policyServer: x}", false, List.of()),
                new Transition("15 same", "{policyServer: x}", "{policyServer: x}", false, List.of()),
                new Transition("15 cleared", "{policyServer: x}", "{policyServer: ''}", false, List.of(immutable)),
                new Transition("15 moved", "{policyServer: x}", "{policyServer: y}", false, List.of(immutable)),
                new Transition(
                        "15 cleared by a user who may delete",
                        "{policyServer: x}",
                        "{policyServer: ''}",
                        true,
                        List.of()),
                new Transition(
                        "15 moved by a user who may delete", "{policyServer: x}", "{policyServer: y}", true, List.of()),
                new Transition(
                        "16 protect to monitor",
                        "{mode: protect}",
                        "{mode: monitor}",
                        true,
                        List.of(
                                "spec.mode: Forbidden: field cannot transition from protect to monitor. Recreate instead. (Without a gap:"
                                        + " create the policy under another name with mode monitor, wait until it is active, then run:"
                                        + " kubectl delete admissionpolicies safe-labels --namespace team-a)")),
                new Transition("16 monitor to protect", "{mode: monitor}", "{mode: protect}", false, List.of()));
    }

    @ParameterizedTest
    @MethodSource("transitions")
    void restrictsChangesThatDisableAPolicy(Transition row) {
        var old = changed(PolicyKind.ADMISSION_POLICY, row.before());
        var policy = changed(PolicyKind.ADMISSION_POLICY, row.after());

        assertThat(validation
                        .update(policy, old, new Change(row.mayDelete(), List.of()))
                        .errors())
                .extracting(FieldError::toString)
                .isEqualTo(row.errors());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{policyServer: x}|{policyServer: default}|true",
                "{policyServer: x}|{}|true",
                "{policyServer: x}|{policyServer: y}|false",
                "{policyServer: x}|{policyServer: ''}|false",
                "{policyServer: default}|{}|false",
                "{policyServer: ''}|{policyServer: default}|false",
            })
    void warnsWhenAPolicyMovesToTheDefaultServer(String before, String after, boolean warns) {
        var old = changed(PolicyKind.ADMISSION_POLICY, before);
        var policy = changed(PolicyKind.ADMISSION_POLICY, after);
        if (!after.contains("policyServer")) {
            policy.getSpec().remove("policyServer");
        }

        var warning =
                "spec.policyServer: the policy moves from \"x\" to \"default\", which is also what a removed field means;"
                        + " to take the policy off every PolicyServer, set the field to \"\"";
        assertThat(validation.update(policy, old, new Change(true, List.of())).warnings())
                .isEqualTo(warns ? List.of(warning) : List.of());
    }

    @Test
    void warnsWhenAPolicyOfAGitOpsToolIsRolledBack() {
        var fields = new FieldsV1();
        fields.setAdditionalProperties(Map.of("f:spec", Map.of()));
        var old = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        policy.getMetadata()
                .setManagedFields(List.of(new ManagedFieldsEntryBuilder()
                        .withManager("argocd-controller")
                        .withFieldsV1(fields)
                        .build()));
        assertThat(validation
                        .update(policy, old, new Change(true, List.of(revision(1))))
                        .warnings())
                .as("no rollback")
                .isEmpty();
        policy.getMetadata().setAnnotations(Map.of(PolicyNames.ROLLBACK_TO, "1"));

        var validated = validation.update(policy, old, new Change(true, List.of(revision(1))));

        assertThat(validated.isAdmitted()).isTrue();
        assertThat(validated.warnings()).singleElement().asString().contains("Argo CD");
    }

    @Test
    void checksNewRollbackRequests() {
        var old = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        policy.getMetadata().setAnnotations(Map.of(PolicyNames.ROLLBACK_TO, "1"));

        assertThat(validation.update(policy, old, new Change(true, List.of())).errors())
                .extracting(FieldError::toString)
                .containsExactly(
                        "metadata.annotations[kubewarden.io/rollback-to]: Invalid value: \"1\": cannot roll back: no revision of generation 1 is kept; no generation is kept");
        assertThat(validation
                        .update(policy, old, new Change(true, List.of(revision(1))))
                        .isAdmitted())
                .isTrue();
        assertThat(validation
                        .update(policy, policy, new Change(true, List.of()))
                        .isAdmitted())
                .as("asked before, answered before")
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CLUSTER_ADMISSION_POLICY | kubewarden.io/merge-strategy | Overrides | metadata.annotations[kubewarden.io/merge-strategy]: Invalid value: \"Overrides\": must be defaults or overrides",
                "ADMISSION_POLICY | kubewarden.io/policy-key | a b | metadata.annotations[kubewarden.io/policy-key]: Invalid value: \"a b\": must be 1 to 63 letters, digits, '-', '_' or '.', and begin and end with a letter or digit"
            })
    void rejectsNewInvalidPrecedenceAnnotations(PolicyKind kind, String annotation, String value, String error) {
        var old = Samples.sample(kind.type());
        var policy = Samples.sample(kind.type());
        policy.getMetadata().setAnnotations(Map.of(annotation, value));
        var change = new Change(true, List.of());

        assertThat(validation.create(policy).errors())
                .extracting(FieldError::toString)
                .containsExactly(error);
        assertThat(validation.update(policy, old, change).errors())
                .extracting(FieldError::toString)
                .containsExactly(error);
        assertThat(validation.update(policy, policy, change).isAdmitted())
                .as("it got in somehow, and the controller must be able to add its finalizer")
                .isTrue();
        assertThat(validation.defects(policy)).isEmpty();
    }

    @Test
    void warnsOfPrecedenceAnnotationsWithoutEffect() {
        var tenants = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        tenants.getMetadata()
                .setAnnotations(Map.of(PolicyNames.MERGE_STRATEGY, "overrides", PolicyNames.POLICY_KEY, "k"));
        var alone = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type());
        alone.getMetadata().setAnnotations(Map.of(PolicyNames.MERGE_STRATEGY, "overrides"));
        var whole = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type());
        whole.getMetadata().setAnnotations(Map.of(PolicyNames.MERGE_STRATEGY, "defaults", PolicyNames.POLICY_KEY, "k"));

        assertThat(validation.create(tenants).errors()).isEmpty();
        assertThat(validation.create(tenants).warnings())
                .containsExactly(
                        "annotation kubewarden.io/merge-strategy has no effect on AdmissionPolicy: only cluster-wide policies decide about precedence");
        assertThat(validation.create(alone).warnings())
                .containsExactly(
                        "annotation kubewarden.io/merge-strategy has no effect without annotation kubewarden.io/policy-key");
        assertThat(validation.create(whole)).isEqualTo(Validation.FINE);
    }

    private static Revision revision(long generation) {
        return new Revision(
                "r",
                generation,
                new Revision.Switches(false, false, Optional.empty(), Optional.empty()),
                true,
                PolicyMode.PROTECT,
                RolloutProgress.none(generation));
    }

    private static Policy changed(PolicyKind kind, String change) {
        var policy = Samples.sample(kind.type());
        ObjectNode fields = Samples.yaml(change);
        policy.getSpec().setAll(fields);
        return policy;
    }
}
