package io.portcullis.kwctl.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetadataTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "['pods']|",
                "['*']|",
                "['*/*']|",
                "['pods/*']|",
                "['pods','pods/status']|",
                "['*','pods/status']|",
                "[]|at least one",
                "['']|empty",
                "['*/*','pods']|'*/*'",
                "['pods','*']|'*'",
                "['*','pods']|'*'",
                "['pods/*','pods/status']|pods/*",
                "['*/status','pods/status']|*/status"
            })
    void checksResourcesOfRules(String resources, String problem) throws Exception {
        var json = "{'protocolVersion':'v1','mutating':false,'rules':[{'apiGroups':['*'],'apiVersions':['v1'],"
                + "'operations':['CREATE'],'resources':" + resources + "}]}";

        var found = MetadataCheck.problem(MetadataDocument.of(new JsonMapper().readTree(json.replace('\'', '"')))
                .metadata());

        if (problem == null) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).hasValueSatisfying(text -> assertThat(text).contains(problem));
        }
    }

    @Test
    void detectsCapabilitiesByTheirNames() {
        assertThat(detect("kubernetes get_resource list_resources_by_namespace"))
                .containsExactly("kubernetes/get_resource", "kubernetes/list_resources_by_namespace");
        assertThat(detect("oci v1/oci_manifest_config")).containsExactly("oci/v1/oci_manifest_config");
        assertThat(detect("oci v1/oci_manifest_config v1/oci_manifest!"))
                .containsExactly("oci/v1/oci_manifest", "oci/v1/oci_manifest_config");
        assertThat(detect("get_resource")).isEmpty();
    }

    private static Set<String> detect(String data) {
        return HostCapabilityScan.detect(data.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void expandsDeclaredPatterns() {
        var scan = HostCapabilityScan.compare(Set.of("oci/v1/verify", "kubernetes/can_i"), Set.of("oci/*", "net/*"));

        assertThat(scan.undeclared()).containsExactly("kubernetes/can_i");
        assertThat(scan.undetected()).containsExactly("net/*");
    }

    @Test
    void splicesSectionsAndKeepsTheOthersUnchanged() throws Exception {
        var wasm = Files.readAllBytes(Path.of(SamplePolicies.PRIVILEGED_PODS));
        var module = EditableModule.parse(wasm);

        assertThat(module.bytes()).isEqualTo(wasm);
        assertThat(module.withPlainHostImports().bytes()).isEqualTo(wasm);
        assertThat(module.isRego()).isFalse();
        assertThat(EditableModule.parse(Files.readAllBytes(Path.of(SamplePolicies.OPA)))
                        .isRego())
                .isTrue();

        var twice = module.withCustomSection("x", new byte[] {1}).withCustomSection("x", new byte[] {2, 3});
        assertThat(twice.bytes()).hasSize(wasm.length + 2 + 2 + 2);
    }
}
