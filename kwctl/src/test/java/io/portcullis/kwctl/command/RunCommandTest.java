package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.KwctlRunner.Result;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code run}, spec kwctl §9, and the error catalogue, §10. */
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
    void printsOneCompactLineAndSucceedsWhateverTheVerdict() {
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
    void asksAllPoliciesOfAFileUnlessOnlyThoseThatMatchAreWanted() {
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
    void allowsWhatIsOnlyMonitoredAndTellsTheVerdict() {
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
    void tellsRejectionByTheExitCodeOnRequest() {
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
              expression: pods() || opa()
              message: the group says no
              policies:
                pods: {module: "%1$s"}
                opa: {module: "%3$s"}
            """.formatted(SamplePolicies.PRIVILEGED_PODS, SamplePolicies.RUN_AS_USER, SamplePolicies.OPA);

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
                        four -> assertThat(four).contains("\"allowed\":true"));
        assertThat(result.err()).contains("several policies");
    }

    @Test
    void joinsWrongSettingsOfGroupMembers() {
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

    /** A row of the error catalogue. */
    record Mistake(String name, List<String> words, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Mistake> catalogue() {
        var policy = SamplePolicies.PRIVILEGED_PODS;
        return List.of(
                new Mistake(
                        "unknown policy",
                        List.of("nonsuch", "-r", "good.json"),
                        "Error: Cannot find policy with uri: nonsuch\n"),
                new Mistake(
                        "mistyped file",
                        List.of("polcy.wasm", "-r", "good.json"),
                        "Cannot find policy with uri: polcy.wasm"),
                new Mistake("unknown scheme", List.of("ftp://h/x", "-r", "good.json"), "nknown scheme: ftp"),
                new Mistake(
                        "file URL with a host",
                        List.of("file://home/x", "-r", "good.json"),
                        "cannot convert URL to path"),
                new Mistake(
                        "missing file URL",
                        List.of("file:///no/x.wasm", "-r", "good.json"),
                        "Error: cannot read metadata from path\n\nCaused by:\n    No such file or directory (os error 2)\n"),
                new Mistake(
                        "not wasm",
                        List.of("good.json", "-r", "good.json"),
                        "cannot parse custom section of wasm module"),
                new Mistake(
                        "metadata of the wrong shape",
                        List.of("odd.wasm", "-r", "good.json"),
                        "cannot deserialize custom section `io.kubewarden.metadata` of wasm module"),
                new Mistake(
                        "broken module", List.of("broken.wasm", "-r", "good.json"), "error when building wasm module"),
                new Mistake(
                        "no waPC exports",
                        List.of(SamplePolicies.path("misbehaving/no-guest-call.wasm"), "-r", "good.json"),
                        "unable to rehydrate wapc module"),
                new Mistake(
                        "mode against the module",
                        List.of("-e", "opa", policy, "-r", "good.json"),
                        "has not been created with Rego: the execution mode opa given is wrong"),
                new Mistake(
                        "mode against the metadata",
                        List.of("-e", "wasi", policy, "-r", "good.json"),
                        "The execution mode wasi given contradicts the policy's metadata, which says kubewarden-wapc"),
                new Mistake(
                        "missing request",
                        List.of(policy, "-r", "no.json"),
                        "Error: Error opening request file no.json\n\nCaused by:\n    No such file or directory (os error 2)\n"),
                new Mistake("request is not JSON", List.of(policy, "-r", "junk.json"), "at line 1 column"),
                new Mistake("request is not an object", List.of(policy, "-r", "list.json"), "Invalid request object"),
                new Mistake(
                        "review without request",
                        List.of(policy, "-r", "empty-review.json"),
                        "invalid AdmissionReview object"),
                new Mistake(
                        "incomplete request",
                        List.of(policy, "-r", "incomplete.json"),
                        "cannot build AdmissionRequest object from given input: request: missing field `uid`"),
                new Mistake(
                        "missing settings",
                        List.of(policy, "-r", "good.json", "-s", "no.yml"),
                        "Cannot open settings file no.yml"),
                new Mistake(
                        "bad settings file",
                        List.of(policy, "-r", "good.json", "-s", "bad.yml"),
                        "Cannot parse settings file bad.yml"),
                new Mistake(
                        "bad settings JSON",
                        List.of(policy, "-r", "good.json", "--settings-json", "{"),
                        "Cannot parse settings JSON"),
                new Mistake(
                        "settings list", List.of(policy, "-r", "good.json", "--settings-json", "[1]"), "not an object"),
                new Mistake(
                        "bad capability pattern",
                        List.of(policy, "-r", "good.json", "--allowed-host-capabilities=oci"),
                        "Invalid host capabilities pattern"),
                new Mistake(
                        "unreadable sources",
                        List.of(policy, "-r", "good.json", "--sources-path", "no.yml"),
                        "Error: Error getting remote server options\n\nCaused by:\n    0: error while loading sources from "),
                new Mistake(
                        "unreadable trust root",
                        List.of(policy, "-r", "good.json", "--sigstore-trust-config", "no.json"),
                        "Error building Sigstore trust root: cannot read "),
                new Mistake(
                        "trust root that is no JSON",
                        List.of(policy, "-r", "good.json", "--sigstore-trust-config", "junk.json"),
                        "Error building Sigstore trust root: "),
                new Mistake(
                        "trust root without a root",
                        List.of(policy, "-r", "good.json", "--sigstore-trust-config", "incomplete.json"),
                        "Error building Sigstore trust root: "),
                new Mistake(
                        "matching without rules",
                        List.of(policy, "-r", "good.json", "--match"),
                        "--match needs a YAML file"),
                new Mistake(
                        "raw with YAML",
                        List.of("p.yaml", "--raw", "-r", "good.json"),
                        "--raw option cannot be used with a YAML file"),
                new Mistake("missing YAML", List.of("p.yaml", "-r", "good.json"), "Cannot open YAML file p.yaml"),
                new Mistake("bad YAML", List.of("bad.yml", "-r", "good.json"), "Cannot parse YAML file"),
                new Mistake(
                        "other kinds only",
                        List.of("pod.yml", "-r", "good.json"),
                        "unknown kind Pod, not a Kubewarden policy"),
                new Mistake("other version", List.of("v0.yml", "-r", "good.json"), "invalid apiVersion"),
                new Mistake(
                        "unknown key of a spec",
                        List.of("typo.yml", "-r", "good.json"),
                        "unknown field `modul`, did you mean `module`?"),
                new Mistake(
                        "context in a namespaced policy",
                        List.of("context.yml", "-r", "good.json"),
                        "unknown field `contextAwareResources`"),
                new Mistake("spec missing", List.of("nospec.yml", "-r", "good.json"), "missing field `spec`"),
                new Mistake("unknown host", List.of("registry://localhost:1/x:v1", "-r", "good.json"), "localhost:1"),
                new Mistake(
                        "bad reference",
                        List.of("registry://ghcr.io/UPPER:v1", "-r", "good.json"),
                        "Invalid OCI image reference: repository name must be lowercase"));
    }

    @ParameterizedTest
    @MethodSource("catalogue")
    void explainsMistakes(Mistake mistake) throws Exception {
        write("junk.json", "{\"uid\": ");
        write("list.json", "[]");
        write("empty-review.json", "{\"kind\":\"AdmissionReview\"}");
        write(
                "incomplete.json",
                "{\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"}}");
        write("bad.yml", "a: [");
        write("pod.yml", "apiVersion: v1\nkind: Pod\n");
        write("v0.yml", "apiVersion: policies.kubewarden.io/v0\nkind: AdmissionPolicy\nspec: {module: x}\n");
        write("typo.yml", "apiVersion: policies.kubewarden.io/v1\nkind: AdmissionPolicy\nspec: {modul: x}\n");
        write("nospec.yml", "apiVersion: policies.kubewarden.io/v1\nkind: AdmissionPolicy\n");
        write(
                "context.yml",
                "apiVersion: policies.kubewarden.io/v1\nkind: AdmissionPolicy\nspec: {module: x, contextAwareResources: []}\n");
        BrokenModules.writeInto(directory);

        var words = new ArrayList<>(List.of("run"));
        words.addAll(mistake.words());
        var result = kwctl.run(words.toArray(String[]::new));

        assertThat(result.err()).contains(mistake.message()).contains("Error: ");
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
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
    void usesTheCompiledModuleOfAnEarlierRun() {
        kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "good.json");

        assertThat(directory.resolve("cache/kubewarden/kwctl/modules")).isNotEmptyDirectory();
        assertThat(kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "bad.json")
                        .out())
                .contains("\"allowed\":false");
    }

    @Test
    void doesNotTouchTheCacheWhenToldNotTo() {
        kwctl.run("run", SamplePolicies.PRIVILEGED_PODS, "-r", "good.json", "--disable-wasmtime-cache");

        assertThat(directory.resolve("cache/kubewarden/kwctl")).doesNotExist();
    }
}
