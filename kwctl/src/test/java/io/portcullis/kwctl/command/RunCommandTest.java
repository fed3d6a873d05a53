package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.KwctlRunner.Result;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code run} and its errors. */
class RunCommandTest {

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void writeRequests() {
        kwctl = new KwctlRunner(directory);
        write("bad.json", SamplePolicies.podRequest(true));
        write("good.json", SamplePolicies.podRequest(false));
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    private static void assertVerdict(Result result, String json) {
        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        assertThat(result.out()).isEqualTo(json + "\n");
    }

    @Test
    void printsOneCompactLineAndSucceedsForEveryVerdict() {
        assertVerdict(
                kwctl.run("run", "-r", "good.json", SamplePolicies.PRIVILEGED_PODS),
                "{\"uid\":\"u1\",\"allowed\":true,\"auditAnnotations\":null,\"warnings\":null}");
        assertVerdict(
                kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "--request-path", "bad.json"),
                "{\"uid\":\"u1\",\"allowed\":false,\"status\":{\"message\":\"Privileged container is not allowed\"},"
                        + "\"auditAnnotations\":null,\"warnings\":null}");
    }

    @Test
    void acceptsAnAdmissionReviewAndStandardInput() {
        var review = "{\"kind\":\"AdmissionReview\",\"request\":" + SamplePolicies.podRequest(true) + "}";

        assertThat(kwctl.input(review)
                        .run("run", "-r", "-", SamplePolicies.PRIVILEGED_PODS)
                        .out())
                .contains("\"allowed\":false");
    }

    @Test
    void evaluatesTheCreationOfAnObject() {
        write("pod.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}");

        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "--object", "pod.yaml")
                        .out())
                .contains("\"uid\":\"705ab4f5-6393-11e8-b7cc-42010a800002\",\"allowed\":true");
        assertThat(kwctl.input("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}")
                        .run("run", SamplePolicies.PRIVILEGED_PODS, "--object", "-")
                        .out())
                .contains("\"allowed\":true");
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "--object", "no.yaml")
                        .err())
                .contains("Error: cannot read file no.yaml");
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "--object", "pod.yaml", "-r", "good.json")
                        .err())
                .startsWith("error: the argument '--request-path <PATH>' cannot be used with '--object <PATH>'");
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS).err())
                .contains("required arguments were not provided:\n  --request-path <PATH>\n");
    }

    @Test
    void printsTheObjectAfterTheMutation() {
        write("pod.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}");
        var settings = "{\"runAsUser\": 7, \"runAsGroup\": 8}";

        assertThat(kwctl.run(
                                "run",
                                SamplePolicies.RUN_AS_USER,
                                "--object",
                                "pod.yaml",
                                "--settings-json",
                                settings,
                                "-o",
                                "object")
                        .out())
                .isEqualTo("""
                        apiVersion: v1
                        kind: Pod
                        metadata:
                          name: p
                        spec:
                          containers: []
                          securityContext:
                            runAsGroup: 8
                            runAsUser: 7
                        """);
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "--object", "pod.yaml", "-o", "object")
                        .out())
                .endsWith("spec:\n  containers: []\n");
    }

    @Test
    void validatesSettingsWithoutARequest() {
        assertThat(kwctl.run("validate-settings", SamplePolicies.PRIVILEGED_PODS))
                .isEqualTo(new Result(0, "", ""));
        assertThat(kwctl.run(
                        "validate-settings",
                        "--settings-json",
                        "{\"runAsUser\": \"root\"}",
                        SamplePolicies.RUN_AS_USER))
                .satisfies(result -> assertThat(result.code()).isEqualTo(1))
                .satisfies(result -> assertThat(result.err()).startsWith("Error: Provided settings are not valid: "));
        assertThat(kwctl.run("validate-settings", SamplePolicies.OPA).code()).isZero();
    }

    @Test
    void printsThePatchOfAMutation() {
        var result =
                kwctl.run("run", SamplePolicies.RUN_AS_USER, "-r", "good.json", "--settings-json", "{\"runAsUser\":7}");

        assertThat(result.out()).contains("\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"");
        assertThat(kwctl.run("run", SamplePolicies.RUN_AS_USER, "-r", "good.json", "-o", "text")
                        .out())
                .startsWith("policy-from-cli: allowed\n")
                .contains("add /spec/securityContext ");
    }

    @Test
    void runsAllPoliciesOfAFileUnlessMatchIsRequested() {
        var policy = """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: %s}
                spec:
                  module: file://%s
                  rules: [{apiGroups: [""], apiVersions: [v1], resources: [%s], operations: [CREATE]}]
                  namespaceSelector: {matchLabels: {team: a}}
                """;
        write(
                "two.yaml",
                policy.formatted("pods", SamplePolicies.PRIVILEGED_PODS, "pods")
                        + "---\n"
                        + policy.formatted("services", SamplePolicies.PRIVILEGED_PODS, "services"));

        var all = kwctl.run("run", "two.yaml", "-r", "bad.json", "-o", "text");
        var matching =
                kwctl.run("run", "two.yaml", "-r", "bad.json", "-o", "text", "--match", "--namespace-label", "team=a");
        var none = kwctl.run("run", "two.yaml", "-r", "bad.json", "--match");

        assertThat(all.out()).contains("pods: rejected", "services: rejected");
        assertThat(matching.out()).startsWith("pods: rejected").doesNotContain("services");
        assertThat(matching.err()).contains("Policy is not asked: no rule matches CREATE of pods policy=services");
        assertThat(none.out()).isEmpty();
        assertThat(none.err()).contains("the namespaceSelector does not match the namespace's labels policy=pods");
        assertThat(none.code()).isZero();
        assertThat(kwctl.run("run", "two.yaml", "-r", "bad.json", "--match", "--namespace-label", "team")
                        .err())
                .endsWith("Error: 'team' is not a label: KEY=VALUE is expected\n");
    }

    @Test
    void allowsRequestsInMonitorModeAndLogsTheVerdict() {
        write("monitor.yaml", """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: m}
                spec: {module: "file://%s", mode: monitor}
                """.formatted(SamplePolicies.PRIVILEGED_PODS));

        var result = kwctl.run("run", "monitor.yaml", "-r", "bad.json");

        assertThat(result.out())
                .isEqualTo("{\"uid\":\"u1\",\"allowed\":true,\"auditAnnotations\":null,\"warnings\":null}\n");
        assertThat(result.err())
                .contains(" INFO kwctl::run: policy evaluation (monitor mode) policy_id=m allowed=false message=");
    }

    @Test
    void reportsRejectionByTheExitCodeOnRequest() {
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "bad.json", "--exit-code")
                        .code())
                .isEqualTo(3);
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "good.json", "--exit-code")
                        .code())
                .isZero();
    }

    @Test
    void runsEveryExecutionMode() {
        assertThat(kwctl.run("run", SamplePolicies.OPA, "-r", "good.json").out())
                .contains("\"allowed\":true");
        assertThat(kwctl.run("run", SamplePolicies.GATEKEEPER, "-r", "bad.json").out())
                .contains("\"allowed\":false");
        assertThat(kwctl.run("run", SamplePolicies.WASI, "-r", "good.json").out())
                .contains("\"allowed\":");
        assertThat(kwctl.run("run", "-e", "kubewarden", SamplePolicies.PRIVILEGED_PODS, "-r", "bad.json")
                        .out())
                .contains("\"allowed\":false");
    }

    @Test
    void runsRawPoliciesByTheirMetadata() {
        write("raw.json", "{\"uid\":\"r1\",\"user\":\"a\",\"action\":\"b\",\"resource\":\"secret\"}");

        var result = kwctl.run(
                "run",
                SamplePolicies.RAW_MUTATION,
                "-r",
                "raw.json",
                "--settings-json",
                "{\"forbiddenResources\":[\"secret\"],\"defaultResource\":\"public\"}");

        assertThat(result.out()).startsWith("{\"uid\":\"r1\",\"allowed\":true,\"patchType\":\"JSONPatch\"");
    }

    @Test
    void completesHandWrittenRequests() {
        write("short.json", """
                {"uid":"u1","kind":{"version":"v1","kind":"Pod"},"operation":"CREATE","userInfo":{},
                 "object":{"spec":{"containers":[{"name":"c","securityContext":{"privileged":true}}]}}}
                """);

        var result = kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "short.json");

        assertThat(result.out()).contains("\"allowed\":false");
        assertThat(result.err()).contains(" WARN kwctl::run: ").contains("derived");
    }

    @Test
    void rejectsInvalidSettingsBeforeEvaluating() {
        var result = kwctl.run(
                "run", SamplePolicies.RUN_AS_USER, "-r", "good.json", "--settings-json", "{\"runAsUser\":\"root\"}");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .startsWith("Error: Provided settings are not valid: ")
                .contains("invalid type: string");
    }

    @Test
    void readsSettingsFromYamlByTheRulesOfYaml12() {
        write("settings.yaml", "runAsUser: 42\n");

        var result =
                kwctl.run("run", "-r", "good.json", "-s", "settings.yaml", SamplePolicies.RUN_AS_USER, "-o", "text");

        assertThat(result.out()).contains("42");
    }

    @Test
    void deniesHostCapabilitiesThatWereNotGranted() {
        var settings = "{\"binding\":\"kubewarden\",\"namespace\":\"net\",\"operation\":\"v1/dns_lookup_host\","
                + "\"payload\":{\"host\":\"localhost\"}}";

        var result = kwctl.run(
                "run",
                "--allowed-host-capabilities",
                "oci/*",
                "--settings-json",
                settings,
                "-r",
                "good.json",
                SamplePolicies.HOST_CALL);

        assertThat(result.code()).isZero();
        assertThat(result.out()).contains("\"allowed\":false").contains("has not been granted access");
    }

    private static final String POLICIES =
            """
            apiVersion: policies.kubewarden.io/v1
            kind: ClusterAdmissionPolicy
            metadata: {name: one}
            spec: {module: "%1$s", message: not here}
            ---
            ---
            apiVersion: policies.kubewarden.io/v1
            kind: AdmissionPolicy
            metadata: {name: two}
            spec: {module: "%1$s", mode: monitor}
            ---
            apiVersion: policies.kubewarden.io/v1
            kind: AdmissionPolicy
            metadata: {name: three}
            spec: {module: "%2$s", mutating: false}
            ---
            apiVersion: policies.kubewarden.io/v1
            kind: ClusterAdmissionPolicyGroup
            metadata: {name: four}
            spec:
              expression: pods() || gatekeeper()
              message: the group says no
              policies:
                pods: {module: "%1$s"}
                gatekeeper: {module: "%3$s"}
            """.formatted(SamplePolicies.PRIVILEGED_PODS, SamplePolicies.RUN_AS_USER, SamplePolicies.GATEKEEPER);

    @Test
    void runsPoliciesAndGroupsOfAYamlFileInOrder() {
        write("policies.yaml", POLICIES);

        var result = kwctl.run("run", "policies.yaml", "-r", "bad.json");

        assertThat(result.code()).isZero();
        assertThat(result.out().lines())
                .satisfiesExactly(
                        one -> assertThat(one)
                                .contains("\"message\":\"not here\"")
                                .contains(
                                        "{\"reason\":null,\"message\":\"Privileged container is not allowed\",\"field\":null}"),
                        two -> assertThat(two)
                                .isEqualTo(
                                        "{\"uid\":\"u1\",\"allowed\":true,\"auditAnnotations\":null,\"warnings\":null}"),
                        three -> assertThat(three)
                                .contains("configured to not allow mutations")
                                .doesNotContain("\"patch\""),
                        four -> assertThat(four)
                                .contains("\"allowed\":false")
                                .contains(
                                        "\"warnings\":[\"pods was rejected: Privileged container is not allowed\",\"gatekeeper was"
                                                + " rejected: Privileged container is not allowed: "));
        assertThat(result.err()).contains("several policies");
    }

    @Test
    void refusesAGroupWhoseRulesDoNotFitItsMembers() {
        write("group.yml", """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicyGroup
                metadata: {name: g}
                spec:
                  expression: a()
                  message: no
                  rules: [{apiGroups: [networking.k8s.io], apiVersions: [v1], resources: [ingresses], operations: [CREATE]}]
                  policies:
                    a: {module: "%s"}
                """.formatted(SamplePolicies.GATEKEEPER));

        var result = kwctl.run("run", "group.yml", "-r", "good.json");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        "Error: the expression of group g can never be meaningful: member 'a' is made for pods, but the"
                                + " rules of the group select ingresses.networking.k8s.io\n");
    }

    @Test
    void reportsInvalidSettingsOfAllGroupMembers() {
        write("group.yml", """
                apiVersion: policies.kubewarden.io/v1
                kind: AdmissionPolicyGroup
                metadata: {name: g}
                spec:
                  expression: a() && b()
                  message: no
                  policies:
                    a: {module: "%1$s", settings: {runAsUser: x}}
                    b: {module: "%1$s", settings: {runAsUser: y}}
                """.formatted(SamplePolicies.RUN_AS_USER));

        assertThat(kwctl.run("run", "group.yml", "-r", "good.json").err())
                .startsWith(
                        "Error: Provided settings are not valid: g/a: settings not valid: Policy settings are invalid: ")
                .contains(", g/b: settings not valid: Policy settings are invalid: ");
    }

    @Test
    void mapsTrapsToARejectionWithCode500() {
        var result = kwctl.run("run", SamplePolicies.path("misbehaving/trap-in-validate.wasm"), "-r", "good.json");

        assertThat(result.code()).isZero();
        assertThat(result.out())
                .contains("\"allowed\":false")
                .contains("internal server error: ")
                .contains("\"code\":500");
    }

    @Test
    void showsThePanicOfAPolicyAndItsStack() {
        var result = kwctl.run("run", SamplePolicies.path("misbehaving/panic-in-validate.wasm"), "-r", "good.json");

        assertThat(result.out())
                .contains("panicked at src/lib.rs:7:5: the pod has")
                .contains("(in my_policy::first_container < my_policy::validate)");
        assertThat(result.err())
                .contains("stack: core::panicking::panic_fmt < my_policy::first_container < my_policy::validate");
    }

    @Test
    void usesTheCompiledModuleOfAnEarlierRun() {
        kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "good.json");

        assertThat(directory.resolve("cache/kubewarden/kwctl/modules")).isNotEmptyDirectory();
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "bad.json")
                        .out())
                .contains("\"allowed\":false");
    }

    @Test
    void doesNotUseTheCacheWithNoCache() {
        kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "good.json", "--disable-wasmtime-cache");

        assertThat(directory.resolve("cache/kubewarden/kwctl")).doesNotExist();
    }
}
