package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code annotate}. */
class AnnotateCommandTest {

    private static final String RULES = """
            rules:
            - apiGroups: [""]
              apiVersions: [v1]
              resources: [pods]
              operations: [CREATE]
            mutating: false
            """;

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void freshHome() {
        kwctl = new KwctlRunner(directory);
    }

    private KwctlRunner.Result annotate(String metadata, String policy, String... more) {
        SamplePolicies.write(directory.resolve("metadata.yml"), metadata);
        var words = new ArrayList<>(List.of("annotate", "-m", "metadata.yml", "-o", "out.wasm", policy));
        words.addAll(List.of(more));
        return kwctl.run(words.toArray(String[]::new));
    }

    private PolicyMetadata written() throws Exception {
        return PolicyMetadata.of(Files.readAllBytes(directory.resolve("out.wasm")))
                .orElseThrow();
    }

    @Test
    void replacesMetadataAndReadsTheProtocolVersionFromTheGuest() throws Exception {
        SamplePolicies.write(directory.resolve("README.md"), "# How to use\n");

        var result = annotate(
                RULES + "annotations: {io.kubewarden.policy.title: mine, io.kubewarden.kwctl: old}\n",
                SamplePolicies.PRIVILEGED_PODS,
                "-u",
                "README.md");

        assertThat(result.code()).isZero();
        assertThat(result.out() + result.err()).isEmpty();
        assertThat(written().protocolVersion()).isPresent();
        assertThat(written().annotations())
                .containsEntry("io.kubewarden.policy.title", "mine")
                .containsEntry("io.kubewarden.kwctl", "0.1.0")
                .containsEntry("io.kubewarden.policy.usage", "# How to use\n");
        assertThat(written().rules()).hasSize(1);
    }

    @Test
    void theAnnotatedModuleStillRuns() {
        annotate(RULES, SamplePolicies.PRIVILEGED_PODS, "--strip-debug");
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));

        assertThat(kwctl.run("run", "out.wasm", "-r", "r.json").out()).contains("\"allowed\":false");
    }

    @Test
    void warnsAboutCapabilitiesThatAreDeclaredButNotUsed() {
        var result = annotate(RULES + "hostCapabilities: [oci/v1/verify]\n", SamplePolicies.PRIVILEGED_PODS);

        assertThat(result.err())
                .matches(
                        "(?s).* WARN kwctl::annotate: host capabilities declared in metadata but not detected in the policy"
                                + " capabilities=\\{\"oci/v1/verify\"}\n");
        assertThat(result.code()).isZero();
    }

    @Test
    void rejectsAModeThatContradictsTheModule() {
        assertThat(annotate(RULES + "executionMode: opa\n", SamplePolicies.PRIVILEGED_PODS)
                        .err())
                .isEqualTo("Error: Wrong value inside of policy's metadata for 'executionMode'."
                        + " This policy has not been created using Rego\n");
        assertThat(annotate(RULES, SamplePolicies.OPA).err())
                .isEqualTo("Error: Wrong value inside of policy's metadata for 'executionMode'."
                        + " This policy has been created using Rego\n");
        assertThat(annotate(RULES + "executionMode: gatekeeper\n", SamplePolicies.OPA)
                        .code())
                .isZero();
    }

    @Test
    void readsRulesWithoutAValueAsNone() throws Exception {
        var result = annotate("rules:\nmutating: false\n", SamplePolicies.PRIVILEGED_PODS);

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(written().rules()).isEmpty();
    }

    @Test
    void rejectsInvalidMetadata() {
        assertThat(annotate(RULES.replace("[pods]", "[\"*\", pods]"), SamplePolicies.PRIVILEGED_PODS)
                        .err())
                .startsWith("Error: Metadata is invalid: rules: resources: ");
        assertThat(annotate("mutating: false\n", SamplePolicies.PRIVILEGED_PODS).err())
                .startsWith("Error: Error unmarshalling metadata")
                .contains("missing field `rules`");
        assertThat(annotate("rules: [\n", SamplePolicies.PRIVILEGED_PODS).err())
                .startsWith("Error: Error unmarshalling metadata");
        assertThat(directory.resolve("out.wasm")).doesNotExist();
    }

    @Test
    void rejectsFilesThatAreNotModules() {
        SamplePolicies.write(directory.resolve("junk.wasm"), "junk");

        assertThat(annotate(RULES, "junk.wasm").err()).startsWith("Error: Error parsing wasm module");
        assertThat(annotate(RULES, "no.wasm").err()).contains("No such file or directory (os error 2)");
    }
}
