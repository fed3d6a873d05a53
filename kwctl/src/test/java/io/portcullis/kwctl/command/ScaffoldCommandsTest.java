package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code scaffold}. */
class ScaffoldCommandsTest {

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void freshHome() {
        kwctl = new KwctlRunner(directory);
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    @Test
    void scaffoldsAPolicy() {
        var out = kwctl.run(
                        "scaffold",
                        "manifest",
                        "-t",
                        "ClusterAdmissionPolicy",
                        "--settings-json",
                        "{\"skip_init_containers\":true}",
                        SamplePolicies.PRIVILEGED_PODS)
                .out();

        assertThat(out)
                .startsWith("""
                        apiVersion: policies.kubewarden.io/v1
                        kind: ClusterAdmissionPolicy
                        metadata:
                          annotations:
                            io.kubewarden.policy.category: PSP
                            io.kubewarden.policy.severity: high
                          name: privileged-pods
                        spec:
                          module: file://%s
                          settings:
                            skip_init_containers: true
                          rules:
                          - apiGroups:
                            - ''
                        """.formatted(SamplePolicies.PRIVILEGED_PODS))
                .endsWith("  mutating: false\n");
        assertThat(kwctl.run(
                                "scaffold",
                                "manifest",
                                "-t",
                                "AdmissionPolicy",
                                "--title",
                                "Not OK",
                                SamplePolicies.PRIVILEGED_PODS)
                        .err())
                .startsWith("Error: Invalid title 'Not OK'");
    }

    @Test
    void rejectsBothSettingsOptionsTogether() {
        var result = kwctl.run(
                "scaffold",
                "manifest",
                "-t",
                "AdmissionPolicy",
                "-s",
                "x",
                "--settings-json",
                "{}",
                SamplePolicies.OPA);

        assertThat(result.code()).isEqualTo(2);
    }

    @Test
    void scaffoldsAGroupThatRuns() {
        write("r.json", SamplePolicies.podRequest(true));
        var group = kwctl.run(
                "scaffold",
                "policy-group",
                "-t",
                "ClusterAdmissionPolicyGroup",
                "--title",
                "g",
                "--message",
                "no",
                "--expression",
                "pods() || !labels()",
                "pods=" + SamplePolicies.GATEKEEPER,
                "labels=" + SamplePolicies.WASI);
        write("group.yaml", group.out());

        assertThat(group.out()).contains("expression: pods() || !labels()", "    pods:\n      module: file://");
        assertThat(kwctl.run("run", "group.yaml", "-r", "r.json").out())
                .contains("\"allowed\":false,\"status\":{\"message\":\"no\"")
                .contains("spec.policies.pods");
    }

    @Test
    void refusesTheRulesOfAllMembersUnlessAFlagAllowsThem() {
        var members = new String[] {
            "scaffold",
            "policy-group",
            "-t",
            "AdmissionPolicyGroup",
            "--title",
            "g",
            "workloads=" + SamplePolicies.PRIVILEGED_PODS,
            "pods=" + SamplePolicies.GATEKEEPER
        };

        var refused = kwctl.run(members);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .startsWith("Error: the members are made for different resources: "
                        + "'pods' is not made for replicationcontrollers; ")
                .contains("--allow-different-resources");

        var allowed = kwctl.run(with(members, "--allow-different-resources"));
        assertThat(allowed.code()).isZero();
        assertThat(allowed.out()).contains("- replicationcontrollers\n", "- cronjobs\n", "workloads() && pods()");
        assertThat(allowed.err()).doesNotContain("never be meaningful");

        var meaningless = kwctl.run(with(members, "services=" + SamplePolicies.OPA, "--allow-different-resources"));
        assertThat(meaningless.code()).isZero();
        assertThat(meaningless.err()).contains("Policy servers refuse this group", "member 'services' for services");
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.concat(Arrays.stream(arguments), Arrays.stream(more)).toArray(String[]::new);
    }

    @Test
    void grantsContextToMembersOfNamespacedGroups() {
        var group = kwctl.run(
                "scaffold",
                "policy-group",
                "-t",
                "AdmissionPolicyGroup",
                "--title",
                "g",
                "--allow-context-aware",
                "labels=" + SamplePolicies.WASI);

        assertThat(group.out())
                .contains("      contextAwareResources:\n      - apiVersion: v1\n        kind: Namespace\n");
    }

    @Test
    void rejectsExpressionsWithoutMembers() {
        assertThat(kwctl.run(
                                "scaffold",
                                "policy-group",
                                "-t",
                                "AdmissionPolicyGroup",
                                "--title",
                                "g",
                                "--expression",
                                "pods() && nope()",
                                "pods=" + SamplePolicies.PRIVILEGED_PODS)
                        .err())
                .startsWith("Error: ")
                .contains("nope");
    }

    private static final String VAP = """
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicy
            metadata: {name: replicas}
            spec:
              failurePolicy: Fail
              matchConstraints:
                resourceRules:
                - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
              validations:
              - {expression: object.spec.replicas <= 5, message: too many}
            """;
    private static final String BINDING = """
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicyBinding
            metadata: {name: replicas-binding}
            spec:
              policyName: replicas
              validationActions: [Deny]
              matchResources: {namespaceSelector: {matchLabels: {environment: test}}}
            """;

    @Test
    void convertsAValidatingAdmissionPolicy() {
        write("vap.yml", VAP);
        write("binding.yml", BINDING);

        var pinned =
                kwctl.run("scaffold", "vap", "-p", "vap.yml", "-b", "binding.yml", "--cel-policy", "ghcr.io/x/cel:v1");

        assertThat(pinned.err()).isEmpty();
        assertThat(pinned.out()).isEqualTo("""
                        apiVersion: policies.kubewarden.io/v1
                        kind: ClusterAdmissionPolicy
                        metadata:
                          name: replicas-binding
                        spec:
                          module: ghcr.io/x/cel:v1
                          settings:
                            failurePolicy: Fail
                            validations:
                            - expression: object.spec.replicas <= 5
                              message: too many
                          rules:
                          - apiGroups:
                            - apps
                            apiVersions:
                            - v1
                            resources:
                            - deployments
                            operations:
                            - CREATE
                            - UPDATE
                          mutating: false
                          namespaceSelector:
                            matchLabels:
                              environment: test
                        """);
    }

    @Test
    void warnsAboutTheLatestCelPolicyAndAboutDroppedFields() {
        write("vap.yml", VAP + "  matchConditions: [{name: a, expression: 'params.x == 1'}]\n");
        write("binding.yml", BINDING.replace("[Deny]", "[Deny, Audit]"));

        var err = kwctl.run("scaffold", "vap", "-p", "vap.yml", "-b", "binding.yml")
                .err();

        assertThat(err)
                .contains("Using the 'latest' version of the CEL policy", "matchConditions of the policy", "'audit'");
    }

    @Test
    void convertsConditionsAndBindingsThatOnlyWarnFromOneFile() {
        write(
                "both.yml",
                VAP + "  matchConditions: [{name: a, expression: 'request.dryRun'}]\n---\n"
                        + BINDING.replace("[Deny]", "[Warn]"));

        var result =
                kwctl.run("scaffold", "vap", "-p", "both.yml", "-b", "both.yml", "--cel-policy", "ghcr.io/x/cel:v1");

        assertThat(result.out()).contains("""
                  matchConditions:
                  - name: a
                    expression: request.dryRun
                  mode: monitor
                """);
        assertThat(result.err())
                .contains("'warn' of the binding became the mode monitor")
                .doesNotContain("ignored");
    }

    @Test
    void reportsErrorsInAValidatingAdmissionPolicy() {
        write("vap.yml", VAP);
        write("param.yml", VAP + "  paramKind: {apiVersion: v1, kind: ConfigMap}\n");
        write("binding.yml", BINDING);

        assertThat(kwctl.run("scaffold", "vap", "-p", "no.yml", "-b", "binding.yml")
                        .err())
                .startsWith("Error: cannot open no.yml");
        assertThat(kwctl.run("scaffold", "vap", "-p", "binding.yml", "-b", "vap.yml")
                        .err())
                .contains("cannot convert given data into a ValidatingAdmissionPolicy");
        assertThat(kwctl.run("scaffold", "vap", "-p", "param.yml", "-b", "binding.yml")
                        .err())
                .contains("must be present together");
        var missing = kwctl.run("scaffold", "vap", "-p", "vap.yml");
        assertThat(missing.err())
                .startsWith("error: the following required arguments were not provided:\n  --binding <");
        assertThat(missing.out()).isEmpty();
    }

    private static final String METADATA = """
            rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
            mutating: false
            annotations:
              io.kubewarden.policy.title: verify-images
              io.kubewarden.policy.version: 1.2.3
              io.kubewarden.policy.description: Verifies images
              io.kubewarden.policy.ociUrl: ghcr.io/kubewarden/policies/verify
              io.kubewarden.policy.author: Jane <jane@example.org>, joe@example.org
              io.kubewarden.policy.source: https://github.com/kubewarden/verify
              io.artifacthub.displayName: Verify Images
              io.artifacthub.keywords: images, signatures
            """;

    @Test
    void describesAPolicyForArtifactHub() {
        write("metadata.yml", METADATA);
        write("questions-ui.yml", "questions: []\n");

        var result = kwctl.run("scaffold", "artifacthub", "-v", "9.9.9");

        assertThat(result.err()).contains("deprecated");
        assertThat(result.out())
                .startsWith("# ")
                .contains(
                        "\nversion: 1.2.3\nname: verify-images\ndisplayName: Verify Images\ncreatedAt: '2026-11-15T18:54:27Z'\n",
                        "containersImages:\n- name: policy\n  image: ghcr.io/kubewarden/policies/verify:v1.2.3\n",
                        "keywords:\n- images\n- signatures\n",
                        "links:\n- name: policy\n  url: https://github.com/kubewarden/verify/releases/download/v1.2.3/policy.wasm\n",
                        "maintainers:\n- name: Jane\n  email: jane@example.org\n- name: joe@example.org\n",
                        "  kubewarden/mutation: 'false'\n",
                        "  kubewarden/questions-ui: |\n    questions: []\n");
    }

    @Test
    void reportsMissingMetadataForArtifactHub() {
        assertThat(kwctl.run("scaffold", "artifacthub").err()).contains("metadata.yml");
        write("metadata.yml", METADATA.replace("io.artifacthub.displayName", "x"));
        assertThat(kwctl.run("scaffold", "artifacthub").err())
                .contains("must specify \"io.artifacthub.displayName\" in annotations");
        write("metadata.yml", METADATA.substring(0, METADATA.indexOf("annotations")));
        assertThat(kwctl.run("scaffold", "artifacthub").err()).contains("no annotations");
        write("metadata.yml", METADATA.replace("images, signatures", "images,,x"));
        assertThat(kwctl.run("scaffold", "artifacthub").err()).contains("must not be empty");
        write("metadata.yml", METADATA.replace("joe@example.org", "joe"));
        assertThat(kwctl.run("scaffold", "artifacthub").err()).contains("is not an address");
    }

    @Test
    void buildsRequestsWithoutACluster() {
        write("deployment.yml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n");
        write("widget.yml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n");

        var known = kwctl.run("scaffold", "admission-request", "-o", "CREATE", "--object", "deployment.yml");
        var unknown = kwctl.run("scaffold", "admission-request", "-o", "CREATE", "--object", "widget.yml");

        assertThat(known.err()).isEmpty();
        assertThat(known.out())
                .startsWith("{\n  \"uid\": \"705ab4f5-6393-11e8-b7cc-42010a800002\",\n")
                .contains("\"resource\": \"deployments\"", "\"namespace\": \"default\"", "\"operation\": \"CREATE\"");
        assertThat(unknown.code()).isZero();
        assertThat(unknown.err()).contains(" WARN ");
        assertThat(unknown.out()).doesNotContain("\"namespace\"");
    }

    @Test
    void buildsRequestsOfOtherUsersAndWholeReviews() throws Exception {
        kwctl.input("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n");

        var result = kwctl.run(
                "scaffold",
                "admission-request",
                "-o",
                "UPDATE",
                "--object",
                "-",
                "--old-object",
                "-",
                "--user",
                "alice",
                "--group",
                "a",
                "--group",
                "b",
                "--dry-run",
                "--sub-resource",
                "status",
                "--review");
        assertThat(result.err()).contains("Error: only one of the objects can come from standard input");

        write("p.yml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n");
        var review = new JsonMapper()
                .readTree(kwctl.run(
                                "scaffold",
                                "admission-request",
                                "-o",
                                "UPDATE",
                                "--object",
                                "-",
                                "--old-object",
                                "p.yml",
                                "--user",
                                "alice",
                                "--group",
                                "a",
                                "--group",
                                "b",
                                "--dry-run",
                                "--sub-resource",
                                "status",
                                "--review")
                        .out());
        var request = review.path("request");
        assertThat(review.path("kind").asText()).isEqualTo("AdmissionReview");
        assertThat(request.path("userInfo")).hasToString("{\"groups\":[\"a\",\"b\"],\"username\":\"alice\"}");
        assertThat(request.path("subResource").asText()).isEqualTo("status");
        assertThat(request.path("dryRun").asBoolean()).isTrue();
        assertThat(request.path("oldObject").path("kind").asText()).isEqualTo("Pod");
    }

    @Test
    void rejectsOperationsWithoutTheirObjects() {
        write("d.yml", "apiVersion: apps/v1\nkind: Deployment\n");

        assertThat(kwctl.run("scaffold", "admission-request", "-o", "CREATE").err())
                .contains("CREATE needs --object");
        assertThat(kwctl.run(
                                "scaffold",
                                "admission-request",
                                "-o",
                                "CREATE",
                                "--object",
                                "d.yml",
                                "--old-object",
                                "d.yml")
                        .err())
                .contains("takes no --old-object");
        assertThat(kwctl.run("scaffold", "admission-request", "-o", "DELETE", "--old-object", "d.yml")
                        .out())
                .contains("\"oldObject\"");
    }

    @Test
    void scaffoldsAReadableVerificationConfig() {
        var config = kwctl.run("scaffold", "verification-config").out();
        write("verification.yml", config);

        assertThat(config).startsWith("# ").contains("owner: kubewarden\n  repo: null\n");
        // Port 1 refuses connections: the command reads the config before any request.
        assertThat(kwctl.run("verify", "--verification-config-path", "verification.yml", "localhost:1/x:v1")
                        .err())
                .contains("localhost:1")
                .doesNotContain("config");
    }
}
