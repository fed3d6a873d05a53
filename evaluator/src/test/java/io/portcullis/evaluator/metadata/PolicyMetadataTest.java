package io.portcullis.evaluator.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.testing.Modules;
import io.portcullis.evaluator.testing.SamplePolicy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyMetadataTest {

    private static final String SECTION_ERROR =
            "cannot deserialize custom section `io.kubewarden.metadata` of wasm module: ";

    @Test
    void readsMetadataOfARealPolicy() {
        var metadata = PolicyMetadata.ofServable(SamplePolicy.PRIVILEGED_PODS.wasm());

        assertThat(metadata.protocolVersion()).contains(ProtocolVersion.V1);
        assertThat(metadata.executionMode()).isEqualTo(ExecutionMode.KUBEWARDEN_WAPC);
        assertThat(metadata.policyType()).isEqualTo(PolicyType.KUBERNETES);
        assertThat(metadata.mutating()).isFalse();
        assertThat(metadata.backgroundAudit()).isTrue();
        assertThat(metadata.rules().getFirst().resources()).containsExactly("pods");
        assertThat(metadata.annotations()).containsEntry("io.kubewarden.policy.title", "privileged-pods");
    }

    @Test
    void usesDefaultsForMissingKeys() {
        var metadata = parse("{\"rules\":[],\"mutating\":true,\"contextAware\":1}");

        assertThat(metadata.protocolVersion()).isEmpty();
        assertThat(metadata.executionMode()).isEqualTo(ExecutionMode.KUBEWARDEN_WAPC);
        assertThat(metadata.backgroundAudit()).isTrue();
        assertThat(metadata.contextAwareResources()).isEmpty();
    }

    @Test
    void readsOptionalKeys() {
        var metadata = parse("""
                {"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"],"operations":["CREATE"]}],
                 "mutating":false,"executionMode":"wasi","policyType":"raw","backgroundAudit":false,
                 "contextAwareResources":[{"apiVersion":"v1","kind":"Pod"}],"hostCapabilities":["oci/*"],
                 "minimumKubewardenVersion":"1.20.0-rc1+b2"}""");

        assertThat(metadata.executionMode()).isEqualTo(ExecutionMode.WASI);
        assertThat(metadata.policyType()).isEqualTo(PolicyType.RAW);
        assertThat(metadata.backgroundAudit()).isFalse();
        assertThat(metadata.contextAwareResources()).containsExactly(new ContextAwareResource("v1", "Pod"));
        assertThat(metadata.hostCapabilities()).containsExactly("oci/*");
        assertThat(metadata.minimumKubewardenVersion()).contains(new KubewardenVersion(1, 20));
        assertThat(metadata.rules())
                .containsExactly(
                        new PolicyMetadata.Rule(List.of(""), List.of("v1"), List.of("pods"), List.of("CREATE")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"mutating\":true}                                  |missing field `rules`",
                "{\"rules\":[]}                                       |missing field `mutating`",
                "{\"rules\":[],\"mutating\":\"no\"}                   |mutating: invalid type: string, expected boolean",
                "{\"rules\":[],\"mutating\":true,\"executionMode\":\"foo\"} |unknown variant `foo`, expected one of `kubewarden-wapc`, `opa`, `gatekeeper`, `wasi`",
                "{\"rules\":[],\"mutating\":true,\"minimumKubewardenVersion\":\"1.20\"} |minimumKubewardenVersion: invalid version `1.20`: expected MAJOR.MINOR.PATCH, for example 1.20.0",
                "{\"rules\":[{\"apiGroups\":[],\"apiVersions\":[],\"resources\":[],\"operations\":[\"PATCH\"]}],\"mutating\":true} |unknown variant `PATCH`, expected one of `CREATE`, `UPDATE`, `DELETE`, `CONNECT`, `*`",
                "[]                                                   |invalid type: expected struct Metadata",
            })
    void reportsTheInvalidKey(String json, String problem) {
        assertThatThrownBy(() -> parse(json))
                .isInstanceOf(PolicyLoadException.class)
                .hasMessage(SECTION_ERROR + problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{                             |EOF while parsing an object at line 1 column 1",
                "{\"rules\":[]} x             |trailing characters at line 1 column 14",
                "nope                          |expected ident at line 1 column 2",
            })
    void reportsThePositionOfInvalidJson(String json, String problem) {
        assertThatThrownBy(() -> parse(json)).hasMessage(SECTION_ERROR + problem);
    }

    @Test
    void rejectsNumbersThatAreTooLong() {
        var json = "{\"rules\":[],\"mutating\":true,\"more\":" + "9".repeat(5_000) + "}";

        assertThatThrownBy(() -> parse(json)).hasMessage(SECTION_ERROR + "a number has more than 1000 characters");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"rules\":[],\"mutating\":true} |Policy is missing protocol version, which is required for KubewardenWapc execution mode",
                "{\"rules\":[],\"mutating\":true,\"protocolVersion\":\"Unknown\"} |Policy uses protocol version Unknown but only V1 is supported",
                "{\"rules\":[],\"mutating\":true,\"protocolVersion\":\"v1\",\"minimumKubewardenVersion\":\"1.37.4\"} |Policy required Kubewarden version 1.37.0 but is running on 1.36.0",
            })
    void rejectsPoliciesThatThisServerCannotRun(String json, String problem) {
        assertThatThrownBy(() -> PolicyMetadata.ofServable(Modules.withMetadata(json)))
                .hasMessage(problem);
    }

    @Test
    void rejectsAModuleWithoutMetadata() {
        assertThatThrownBy(() -> PolicyMetadata.ofServable(Modules.empty()))
                .hasMessage("Policy is missing protocol version, which is required for KubewardenWapc execution mode");
    }

    @ParameterizedTest
    @CsvSource({"''", "<html>", "\0asm"})
    void rejectsBytesThatAreNotAModule(String text) {
        assertThatThrownBy(() -> PolicyMetadata.of(text.getBytes(StandardCharsets.UTF_8)))
                .hasMessage("invalid wasm file")
                .extracting(e -> ((PolicyLoadException) e).reason())
                .isEqualTo(Reason.INVALID_MODULE);
    }

    @Test
    void rejectsTruncatedModules() {
        var wasm = Modules.withMetadata("{\"rules\":[],\"mutating\":true}");

        assertThatThrownBy(() -> PolicyMetadata.of(Arrays.copyOf(wasm, wasm.length - 3)))
                .hasMessageStartingWith("cannot parse custom section of wasm module: unexpected end-of-file");
    }

    @Test
    void usesTheFirstOfTwoSections() {
        var wasm = Modules.withMetadata("{\"rules\":[],\"mutating\":true}", "{\"rules\":[],\"mutating\":false}");

        assertThat(PolicyMetadata.of(wasm).orElseThrow().mutating()).isTrue();
    }

    @Test
    void rejectsASectionThatIsTooLarge() {
        var wasm = Modules.withMetadata("{\"rules\":[],\"mutating\":true,\"x\":\"" + "x".repeat(1 << 20) + "\"}");

        assertThatThrownBy(() -> PolicyMetadata.of(wasm))
                .isInstanceOf(PolicyLoadException.class)
                .hasMessageContaining("the limit is 1048576");
    }

    @Test
    void rejectsDuplicateKeys() {
        assertThatThrownBy(() -> parse("{\"rules\":[],\"mutating\":true,\"mutating\":false}"))
                .isInstanceOf(PolicyLoadException.class)
                .hasMessageStartingWith(SECTION_ERROR);
    }

    @Test
    void mutatedModulesAreParsedOrRejectedWithALoadException() {
        long seed = Long.getLong("hostile.seed", 20_261_117);
        var random = new Random(seed);
        var original = Modules.withMetadata(
                "{\"protocolVersion\":\"v1\",\"rules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"pods\"],"
                        + "\"operations\":[\"CREATE\"]}],\"mutating\":false,\"annotations\":{\"a\":\"b\"}}");
        int rejected = 0;
        for (int round = 0; round < 5_000; round++) {
            var wasm = original.clone();
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                wasm[random.nextInt(8, wasm.length)] = (byte) random.nextInt();
            }
            var mutated = random.nextInt(5) == 0 ? Arrays.copyOf(wasm, random.nextInt(wasm.length)) : wasm;
            try {
                assertThat(PolicyMetadata.of(mutated)).isNotNull();
            } catch (PolicyLoadException e) {
                rejected++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
        assertThat(rejected).isPositive();
    }

    private static PolicyMetadata parse(String json) {
        return PolicyMetadata.of(Modules.withMetadata(json)).orElseThrow();
    }
}
