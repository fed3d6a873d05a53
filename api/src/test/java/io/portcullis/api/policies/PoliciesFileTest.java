package io.portcullis.api.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policies.PolicyEntry.Group;
import io.portcullis.api.policies.PolicyEntry.Single;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PoliciesFileTest {

    @Test
    void readsEveryKeyOfAPolicy() {
        var entries = entries("""
                privileged:
                  module: file:///policies/privileged.wasm
                  policyMode: monitor
                  allowedToMutate: true
                  settings: {names: [a, "1"], depth: 2, ratio: 0.5, on: yes}
                  contextAwareResources: [{apiVersion: v1, kind: Namespace}]
                  message: not here
                  timeoutEvalSeconds: 3
                  hostCapabilities: [net/*]
                  namespacedName: ignored
                """);

        var single = (Single) requireNonNull(entries.get("privileged"));
        assertThat(single.mode()).isEqualTo(PolicyMode.MONITOR);
        assertThat(single.allowedToMutate()).isTrue();
        assertThat(single.message()).hasValue("not here");
        assertThat(single.module().module()).isEqualTo("file:///policies/privileged.wasm");
        assertThat(single.module().settings())
                .hasToString("{\"names\":[\"a\",\"1\"],\"depth\":2,\"ratio\":0.5,\"on\":\"yes\"}");
        assertThat(single.module().contextAwareResources())
                .containsExactly(new ContextAwareResource("v1", "Namespace"));
        assertThat(single.module().timeout()).hasValue(Duration.ofSeconds(3));
        assertThat(single.module().hostCapabilities()).containsExactly("net/*");
    }

    @Test
    void appliesDefaultsToAbsentKeys() {
        var single = (Single) requireNonNull(
                entries("p: {module: m, settings: null, message: ~}").get("p"));

        assertThat(single.mode()).isEqualTo(PolicyMode.PROTECT);
        assertThat(single.allowedToMutate()).isFalse();
        assertThat(single.message()).isEmpty();
        assertThat(single.module().settings()).isEmpty();
        assertThat(single.module().timeout()).isEmpty();
        assertThat(single.module().hostCapabilities()).isEmpty();
    }

    @Test
    void keepsTheOrderOfGroupMembers() {
        var group = (Group) requireNonNull(entries("""
                g:
                  policies:
                    zebra: {module: z}
                    ant: {module: a, settings: {x: 1}}
                  expression: zebra() && ant()
                  message: no
                """).get("g"));

        assertThat(group.members()).containsOnlyKeys("zebra", "ant");
        assertThat(List.copyOf(group.members().keySet())).containsExactly("zebra", "ant");
        assertThat(group.expression()).isEqualTo("zebra() && ant()");
    }

    @Test
    void readsTheJsonThatTheControllerWrites() {
        var entries = entries(
                "{\"clusterwide-p\":{\"namespacedName\":{\"Name\":\"p\"},\"module\":\"registry://r/p:v1\",\"settings\":{}}}");

        assertThat(entries).containsOnlyKeys("clusterwide-p");
    }

    @Test
    void resolvesAnchors() {
        var entries = entries("""
                a: {module: m, settings: &shared {x: 1}}
                b: {module: m, settings: *shared}
                """);

        assertThat(((Single) requireNonNull(entries.get("b"))).module().settings())
                .hasToString("{\"x\":1}");
    }

    @Test
    void readsAnEmptyFileAsNoPolicies() {
        assertThat(entries("")).isEmpty();
        assertThat(entries("# nothing yet\n")).isEmpty();
        assertThat(entries("{}")).isEmpty();
    }

    @Test
    void readsTheOtherEntriesWhenOneIsInvalid() {
        var file = PoliciesFile.parse("good: {module: m}\nbad: {module: 1}\n");

        assertThat(file.entries()).containsOnlyKeys("good");
        assertThat(file.problems()).containsOnlyKeys("bad");
    }

    /** The file of the RFC about policy groups, as it stands there. */
    @Test
    void readsTheFileOfThePolicyGroupDocumentWithDeprecations() throws IOException {
        var file = PoliciesFile.parseStrictly(
                Files.readString(Path.of("src/test/resources/documents/policy-group-policies.yml")));

        var single = (Single) requireNonNull(file.entries().get("psp-apparmor"));
        assertThat(single.module().module()).isEqualTo("registry://ghcr.io/kubewarden/policies/psp-apparmor:v0.1.7");
        var group = (Group) requireNonNull(file.entries().get("pod-image-signatures"));
        assertThat(List.copyOf(group.members().keySet()))
                .containsExactly("sigstore_pgp", "sigstore_gh_action", "reject_latest_tag");
        assertThat(requireNonNull(group.members().get("reject_latest_tag")).settings())
                .hasToString("{\"tags\":{\"reject\":[\"latest\"]}}");
        assertThat(file.deprecations())
                .containsExactly(
                        "policy 'psp-apparmor': the key 'url' is deprecated; use 'module' (line 2, column 8)",
                        "policy 'psp-capabilities': the key 'url' is deprecated; use 'module' (line 5, column 8)",
                        "policy group 'pod-image-signatures': a list of 'policies' is deprecated; use a map of member names to policies (line 13, column 5)");
    }

    @Test
    void readsUrlInGroupMembers() {
        var group = (Group) requireNonNull(entries("g: {policies: {a: {url: m}}, expression: a(), message: x}")
                .get("g"));

        assertThat(requireNonNull(group.members().get("a")).module()).isEqualTo("m");
    }

    @Test
    void reportsNoDeprecationForTodaysForms() {
        assertThat(PoliciesFile.parseStrictly("g: {policies: {a: {module: m}}, expression: a(), message: x}")
                        .deprecations())
                .isEmpty();
    }

    private static Map<String, PolicyEntry> entries(String text) {
        return PoliciesFile.parseStrictly(text).entries();
    }

    record Case(String yaml, String error) {}

    static List<Case> errors() {
        return List.of(
                new Case("p: {module: 1}", "policy 'p': 'module' must be text, not the number 1 (line 1, column 13)"),
                new Case(
                        "p:\n  module: m\n  settings: text\n",
                        "policy 'p': 'settings' must be an object, not text (line 3, column 13)"),
                new Case(
                        "p: {module: m, settings: [a]}",
                        "policy 'p': 'settings' must be an object, not a list (line 1, column 26)"),
                new Case(
                        "p: {module: m, policyMode: audit}",
                        "policy 'p': 'policyMode' must be 'protect' or 'monitor', not 'audit' (line 1, column 28)"),
                new Case(
                        "p: {module: m, allowedToMutate: 'true'}",
                        "policy 'p': 'allowedToMutate' must be true or false, not text (line 1, column 33)"),
                new Case(
                        "p: {module: m, timeoutEvalSeconds: -1}",
                        "policy 'p': 'timeoutEvalSeconds' must be a whole number of seconds, zero or more, not the number -1 (line 1, column 36)"),
                new Case(
                        "p: {module: m, contextAwareResources: [{kind: Pod}]}",
                        "policy 'p': 'contextAwareResources' must be a list of {apiVersion, kind}, not a list (line 1, column 39)"),
                new Case(
                        "p: {url: m, module: n}",
                        "policy 'p': 'url' is the old name of 'module'; keep only 'module' (line 1, column 10)"),
                new Case("p: {url: 1}", "policy 'p': 'url' must be text, not the number 1 (line 1, column 10)"),
                new Case(
                        "g: {policies: [{module: m}], expression: a(), message: x}",
                        "policy group 'g', member 1: the key 'name' is missing (line 1, column 16)"),
                new Case(
                        "g: {policies: [{name: a, module: m}, {name: a, module: n}], expression: a(), message: x}",
                        "policy group 'g', member 2: 'name' 'a' names two members (line 1, column 45)"),
                new Case(
                        "g: {policies: [{name: a, module: m, mode: x}], expression: a(), message: x}",
                        "policy group 'g', member 1: 'mode' is not a key of a group member (line 1, column 43)"),
                new Case(
                        "g: {policies: [text], expression: a(), message: x}",
                        "policy group 'g', member 1: must be a map, not text (line 1, column 16)"),
                new Case(
                        "g: {policies: text, expression: a(), message: x}",
                        "policy 'g': 'policies' must be a map of member names to policies, not text (line 1, column 15)"),
                new Case(
                        "p: {}",
                        "policy 'p': needs 'module', or 'policies' and 'expression' for a group (line 1, column 4)"),
                new Case("p: text", "policy 'p': must be a map, not text (line 1, column 4)"),
                new Case(
                        "g: {policies: {a: {module: m}}, message: x}",
                        "policy 'g': the key 'expression' is missing (line 1, column 4)"),
                new Case(
                        "g: {policies: {a: {module: m, setings: {}}}, expression: a(), message: x}",
                        "policy group 'g', member 'a': 'setings' is not a key of a group member (line 1, column 40)"),
                new Case(
                        "g: {policies: {a/b: {module: m}}, expression: a(), message: x}",
                        "policy group 'g' contains policies with invalid names: [a/b]"),
                new Case("a/b: {module: m}", "policy name 'a/b' contains a '/' character"),
                new Case("'': {module: m}", "Not a valid Policy ID: "),
                new Case("- a\n- b\n", "expected a map of policy names to policies"),
                new Case(
                        "{\"p\": {\"module\": \"m\", \"settings\": \"s\"}}",
                        "policy 'p': 'settings' must be an object, not text"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void namesTheInvalidEntryAndKey(Case input) {
        assertThatThrownBy(() -> PoliciesFile.parseStrictly(input.yaml()))
                .isInstanceOf(PoliciesFileException.class)
                .hasMessage(input.error());
    }

    @Test
    void reportsThePositionOfASyntaxError() {
        assertThatThrownBy(() -> PoliciesFile.parse("p:\n  module: [m\n"))
                .hasMessageStartingWith("not valid YAML: ")
                .hasMessageContaining("line 3");
        assertThatThrownBy(() -> PoliciesFile.parse("{\"p\": "))
                .hasMessageStartingWith("not valid JSON: ")
                .hasMessageContaining("line 1");
        assertThatThrownBy(() -> PoliciesFile.parse("p: {module: m}\np: {module: n}\n"))
                .hasMessage("not valid YAML: the key 'p' is given twice (line 2, column 1)");
    }

    @Test
    void rejectsFilesWhoseAnchorsExpandTooMuch() {
        var bomb = new StringBuilder("a0: &a0 [x, x]\n");
        for (var i = 1; i < 40; i++) {
            bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        }

        assertThatThrownBy(() -> PoliciesFile.parse(bomb.toString())).isInstanceOf(PoliciesFileException.class);
    }
}
