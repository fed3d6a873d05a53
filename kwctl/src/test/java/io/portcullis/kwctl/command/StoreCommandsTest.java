package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code policies}, {@code rm}, {@code inspect} and {@code push} without a registry. */
class StoreCommandsTest {

    private static final String URI = "registry://ghcr.io/kubewarden/tests/pod-privileged:v0.2.5";

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void freshHome() {
        kwctl = new KwctlRunner(directory);
    }

    private Path store(String policy, String place) throws Exception {
        var file = kwctl.store().resolve(place);
        Files.createDirectories(file.getParent());
        return Files.copy(Path.of(policy), file);
    }

    /** No registry listens at the address: the stored copy is enough, although its tag may have moved. */
    @Test
    void scaffoldsManifestsOfStoredPoliciesWithoutTheNetwork() throws Exception {
        store(SamplePolicies.PRIVILEGED_PODS, "registry/localhost:1/x:latest");

        var stored = kwctl.run("scaffold", "manifest", "-t", "ClusterAdmissionPolicy", "localhost:1/x");
        var missing = kwctl.run("scaffold", "manifest", "-t", "ClusterAdmissionPolicy", "localhost:1/y");

        assertThat(stored.out()).as(stored.err()).contains("module: registry://localhost:1/x:latest");
        assertThat(missing.err()).contains("pulling it uri=registry://localhost:1/y:latest", "Error: Fail to interact");
        assertThat(missing.code()).isEqualTo(1);
    }

    @Test
    void printsNothingForAnEmptyStore() {
        var result = kwctl.run("policies");

        assertThat(result.code()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(kwctl.run("policies", "-o", "json").out()).isEqualTo("[]\n");
    }

    @Test
    void listsPoliciesWithTheirMetadata() throws Exception {
        store(SamplePolicies.PRIVILEGED_PODS, "registry/ghcr.io/kubewarden/tests/pod-privileged:v0.2.5");
        store(SamplePolicies.RUN_AS_USER, "https/example.com/x/policy.wasm");
        Files.writeString(store(SamplePolicies.RUN_AS_USER, "https/example.com/broken.wasm"), "junk");

        var out = kwctl.run("policies").out();

        assertThat(out)
                .startsWith("+-")
                .contains("| Policy ", "| " + URI + " | no       | no            | ")
                .contains("| https://example.com/x/policy.wasm ", " | yes      | no ")
                .contains("| https://example.com/broken.wasm ", "| unknown  | unknown ");
        assertThat(kwctl.run("policies", "-o", "yaml").out()).contains("- policy: " + URI, "  mutating: false");
    }

    @Test
    void findsStoredPoliciesByDigestPrefix() throws Exception {
        store(SamplePolicies.PRIVILEGED_PODS, "registry/ghcr.io/kubewarden/tests/pod-privileged:v0.2.5");
        var listed = kwctl.run("policies", "-o", "json").out();
        var prefix = listed.substring(listed.indexOf("sha256\": \"") + 10).substring(0, 6);
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));

        assertThat(kwctl.run("run", prefix, "-r", "r.json").out()).contains("\"allowed\":false");
        assertThat(kwctl.run("run", URI, "-r", "r.json").out()).contains("\"allowed\":false");
        assertThat(kwctl.run("inspect", "ghcr.io/kubewarden/tests/pod-privileged:v0.2.5")
                        .code())
                .isZero();
    }

    @Test
    void removesPoliciesAndTheirEmptyDirectories() throws Exception {
        store(SamplePolicies.PRIVILEGED_PODS, "registry/ghcr.io/kubewarden/tests/pod-privileged:v0.2.5");

        var result = kwctl.run("rm", URI);

        assertThat(result.code()).isZero();
        assertThat(result.out() + result.err()).isEmpty();
        assertThat(kwctl.store().resolve("registry")).doesNotExist();
        assertThat(kwctl.run("rm", URI).err()).isEqualTo("Error: Cannot find policy with uri: " + URI + "\n");
    }

    @Test
    void removesSeveralPoliciesOrNone() throws Exception {
        store(SamplePolicies.PRIVILEGED_PODS, "registry/localhost:1/a:v1");
        store(SamplePolicies.RUN_AS_USER, "registry/localhost:1/b:v1");

        assertThat(kwctl.run("rm", "localhost:1/a:v1", "localhost:1/none:v1").err())
                .contains("Cannot find policy with uri: localhost:1/none:v1");
        assertThat(kwctl.run("policies").out()).contains("localhost:1/a:v1", "localhost:1/b:v1");
        assertThat(kwctl.run("rm", "localhost:1/a:v1", "registry://localhost:1/b:v1")
                        .code())
                .isZero();
        assertThat(kwctl.run("policies").out()).isEmpty();
        assertThat(kwctl.run("rm").err()).contains("required arguments were not provided:\n  <uri_or_sha_prefix>");
    }

    @Test
    void prunesByAge() throws Exception {
        var old = store(SamplePolicies.PRIVILEGED_PODS, "registry/localhost:1/old:v1");
        var young = store(SamplePolicies.RUN_AS_USER, "registry/localhost:1/young:v1");
        Files.setLastModifiedTime(old, FileTime.from(KwctlRunner.NOW.minus(Duration.ofDays(31))));
        Files.setLastModifiedTime(young, FileTime.from(KwctlRunner.NOW.minus(Duration.ofDays(29))));

        assertThat(kwctl.run("prune").err()).contains("--older-than <AGE>");
        assertThat(kwctl.run("prune", "--older-than", "30d").out()).isEqualTo("registry://localhost:1/old:v1\n");
        assertThat(kwctl.run("prune", "--older-than", "720h").out()).isEmpty();
        assertThat(young).exists();
        assertThat(kwctl.run("prune", "--all").out()).isEqualTo("registry://localhost:1/young:v1\n");
        assertThat(kwctl.run("prune", "--all", "--older-than", "1d").code()).isEqualTo(2);
    }

    /** No registry listens at the address. */
    @Test
    void pullsOnDemandOnlyOnRequest() {
        assertThat(kwctl.run("inspect", "localhost:1/x:v1").err())
                .isEqualTo("Error: Cannot find policy with uri: localhost:1/x:v1\n");
        assertThat(kwctl.run("inspect", "--pull", "localhost:1/x:v1").err())
                .contains("Fail to interact with OCI registry");
        assertThat(kwctl.run("save", "--pull", "-o", "x.tgz", "localhost:1/x:v1")
                        .err())
                .contains("Fail to interact with OCI registry");
        assertThat(kwctl.run("push", "--pull", "localhost:1/x:v1", "localhost:1/y:v1")
                        .err())
                .contains("Fail to interact with OCI registry");
        assertThat(kwctl.run("inspect", "--pull", SamplePolicies.PRIVILEGED_PODS)
                        .code())
                .isZero();
    }

    /** No registry listens at the address either. */
    @Test
    void usesOnlyTheStoreWhenOffline() throws Exception {
        store(SamplePolicies.PRIVILEGED_PODS, "registry/localhost:1/x:latest");
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));
        SamplePolicies.write(directory.resolve("x-test.yaml"), """
                policy: registry://localhost:1/x:latest
                cases: [{name: rejects, request: r.json, expect: {allowed: false}}]
                """);

        var stored = kwctl.run("run", "--offline", "-r", "r.json", "localhost:1/x");
        assertThat(stored.out()).as(stored.err()).contains("\"allowed\":false");
        assertThat(kwctl.run("run", "-r", "r.json", "localhost:1/x").err())
                .as("the tag may have moved: without the flag its registry is asked")
                .contains("Fail to interact with OCI registry");
        assertThat(kwctl.run("test", "--offline").out()).contains("1 passed, 0 failed");
        assertThat(kwctl.run("validate-settings", "--offline", "localhost:1/x").code())
                .isZero();

        assertThat(kwctl.run("run", "--offline", "-r", "r.json", "localhost:1/y:v1")
                        .err())
                .isEqualTo(
                        "Error: Policy registry://localhost:1/y:v1 is not in the store, and --offline pulls nothing\n");
        assertThat(kwctl.run("scaffold", "manifest", "--offline", "-t", "AdmissionPolicy", "localhost:1/y:v1")
                        .err())
                .isEqualTo(
                        "Error: Policy registry://localhost:1/y:v1 is not in the store, and --offline pulls nothing\n");
        assertThat(kwctl.run(
                                "run",
                                "--offline",
                                "--cert-email",
                                "a@b.c",
                                "--cert-oidc-issuer",
                                "https://issuer",
                                "-r",
                                "r.json",
                                "localhost:1/x")
                        .err())
                .contains("cannot be verified with --offline");
    }

    @Test
    void neverRemovesFilesOutsideTheStore() throws Exception {
        var file = Files.copy(Path.of(SamplePolicies.OPA), directory.resolve("mine.wasm"));

        assertThat(kwctl.run("rm", "mine.wasm").err()).contains("Cannot find policy with uri: mine.wasm");
        assertThat(file).exists();
    }

    @Test
    void inspectsAsText() {
        var out = kwctl.run("inspect", SamplePolicies.PRIVILEGED_PODS).out();
        assertThat(kwctl.run("inspect", "-o", "table", SamplePolicies.PRIVILEGED_PODS)
                        .out())
                .isEqualTo(out);

        assertThat(out)
                .startsWith("Details ")
                .contains("\ntitle: ", " privileged-pods ", "\nprotocol version: ", "\nRules\n- apiGroups:\n  - ''\n")
                .doesNotContain("\u001b[");
        assertThat(kwctl.inTerminal()
                        .run("inspect", SamplePolicies.PRIVILEGED_PODS)
                        .out())
                .contains("\u001b[1mDetails");
        assertThat(kwctl.inTerminal()
                        .run("inspect", "--no-color", SamplePolicies.PRIVILEGED_PODS)
                        .out())
                .doesNotContain("\u001b[");
    }

    @Test
    void inspectsAsStructuredData() {
        var out = kwctl.run("inspect", "-o", "yaml", SamplePolicies.RUN_AS_USER).out();

        assertThat(out).startsWith("protocolVersion: v1\nrules:\n").doesNotContain("signatures");
        assertThat(out.indexOf("annotations:")).isLessThan(out.indexOf("mutating: true"));
        assertThat(kwctl.run("inspect", "-o", "json", SamplePolicies.RUN_AS_USER)
                        .out())
                .startsWith("{\n  \"protocolVersion\": \"v1\"");
    }

    @Test
    void reportsAModuleWithoutMetadata() {
        var module = SamplePolicies.path("misbehaving/no-guest-call.wasm");

        assertThat(kwctl.run("inspect", module).err())
                .startsWith("Error: No Kubewarden metadata found inside of '" + module + "'")
                .contains("kwctl annotate");
        assertThat(kwctl.run("push", module, "localhost:1/x:v1").err())
                .startsWith("Error: Cannot push a policy that is not annotated");
    }

    @Test
    void ignoresPullsOfLocalFiles() {
        var result = kwctl.run("pull", "file://" + SamplePolicies.OPA);

        assertThat(result.code()).isZero();
        assertThat(kwctl.store()).doesNotExist();
    }
}
