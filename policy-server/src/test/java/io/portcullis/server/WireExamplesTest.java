package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Replays exchanges that were recorded with the original server, and expects the same status and body. The test uses every
 * exchange in {@code wire-examples} whose policy is in {@link #POLICIES}. Intended differences are listed here and in
 * {@code docs/compatibility.md}. The original returns no warnings about the results of members; {@link
 * GroupsOverHttpTest} tests them.
 */
class WireExamplesTest {

    private static final Path EXAMPLES = Path.of("src/test/resources/wire-examples");

    private static final String POLICIES = """
            priv: {module: $POLICIES/privileged-pods/policy.wasm}
            priv-msg: {module: $POLICIES/privileged-pods/policy.wasm, message: custom rejection}
            priv-monitor: {module: $POLICIES/privileged-pods/policy.wasm, policyMode: monitor}
            ug:
              module: $POLICIES/run-as-user/policy.wasm
              allowedToMutate: true
              settings: &as {runAsUser: 1000, runAsGroup: 1000, supplementalGroups: [1000]}
            ug-nomutate: {module: $POLICIES/run-as-user/policy.wasm, settings: *as}
            ug-nomutate-msg: {module: $POLICIES/run-as-user/policy.wasm, settings: *as, message: custom rejection}
            ug-monitor: {module: $POLICIES/run-as-user/policy.wasm, settings: *as, allowedToMutate: true, policyMode: monitor}
            sleep: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 1}}
            sleep-t1: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 1}, timeoutEvalSeconds: 1}
            sleep-t6: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 1}, timeoutEvalSeconds: 6}
            raw-rust:
              module: $POLICIES/raw-validation/policy.wasm
              settings: {validUsers: [tonio, wanda], validActions: [eats, likes], validResources: [hay, banana]}
            raw-mut:
              module: $POLICIES/raw-mutation/policy.wasm
              allowedToMutate: true
              settings: {forbiddenResources: [banana, carrot], defaultResource: hay}
            badset: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 0}}
            missing: {module: file:///nowhere/policy.wasm}
            unann: {module: ./without-metadata.wasm}
            nodeport: {module: $POLICIES/opa-service-types/policy.wasm, settings: {types: [NodePort]}}
            raw-opa: {module: $POLICIES/opa-service-types/policy.wasm, settings: {types: [NodePort]}}
            labels: {module: $POLICIES/opa-denied-labels/policy.wasm, settings: {denied: [env]}}
            raw-wasi: {module: $POLICIES/go-namespace-labels/policy.wasm, settings: {validUsers: [wanda]}}
            gk-priv: {module: $POLICIES/gatekeeper-privileged-containers/policy.wasm}
            gk-priv-msg: {module: $POLICIES/gatekeeper-privileged-containers/policy.wasm, message: custom rejection}
            group:
              expression: a() && b()
              message: the group says no
              policies: &both
                a: {module: $POLICIES/privileged-pods/policy.wasm}
                b: {module: $POLICIES/gatekeeper-privileged-containers/policy.wasm}
            group-or: {expression: a() || b(), message: the group says no, policies: *both}
            group-not: {expression: "!a()", message: the group says no, policies: *both}
            group-monitor: {expression: a() && b(), message: the group says no, policies: *both, policyMode: monitor}
            group-badexpr: {expression: a() && nope(), message: the group says no, policies: *both}
            group-syntax: {expression: a( && b(), message: the group says no, policies: *both}
            group-nonbool: {expression: 1 + 1, message: the group says no, policies: *both}
            group-mutating:
              expression: ug()
              message: the group says no
              policies: {ug: {module: $POLICIES/run-as-user/policy.wasm, settings: *as}}
            group-sleep:
              expression: s() || a()
              message: the group says no
              policies:
                s: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 1}}
                a: {module: $POLICIES/privileged-pods/policy.wasm}
            grp:
              expression: s()
              message: the group says no
              policies: {s: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 0}}}
            """;

    /** Our server sends the same text, but as JSON like all other errors. */
    private static final Set<String> PLAIN_TEXT_UPSTREAM =
            Set.of("76-audit-malformed", "77-audit-wrong-shape", "86-raw-malformed", "87-raw-missing-request");

    /** Intended differences: the status and body of our server. */
    private static final Map<String, List<String>> DIFFERENT_ANSWER = Map.of(
            "50-group-member-direct", List.of("404", ""),
            "51-too-many-slashes", List.of("404", ""));

    /** Our server rejects with its own error where the original rejects later or not at all: the message. */
    private static final Map<String, String> DIFFERENT_REJECTION = Map.of(
            "46-group-member-timeout",
                    "error evaluating policy group expression: error invoking group-sleep/s: "
                            + "Policy execution interrupted because it exceeded the allowed execution time",
            "47-group-bad-function",
                    "bootstrap failure: group-badexpr: the expression of group group-badexpr is not valid: "
                            + "'nope' is not a member of the group (line 1, position 12)",
            "48-group-syntax-error",
                    "bootstrap failure: group-syntax: the expression of group group-syntax is not valid: "
                            + "extraneous input '&&' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', "
                            + "'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER} (line 1, position 4)",
            "49-group-nonbool",
                    "bootstrap failure: group-nonbool: the expression of group group-nonbool is not valid: "
                            + "the operator + is not allowed, only !, &&, ||, == and != are (line 1, position 3)",
            "B-grp",
                    "grp/s: settings not valid: Policy settings are invalid: sleep_milliseconds must be set and be major than 0");

    /** Recorded without their large bodies, which the test creates again. */
    private static final Set<String> LARGE = Set.of("23-oversized-3MB", "24-just-under-2MiB", "78-audit-oversized");

    /** Recorded with a server that had another configuration, or compared by name below. */
    private static final Set<String> SKIPPED = Set.of(
            "95-always-accept-namespace",
            "96-always-accept-ns-unknown-policy",
            "97-readiness",
            "A5-sleep-t1-4s",
            "B-badset",
            "B-missing",
            "B-unann");

    @TempDir
    static Path dir;

    private static RunningServer server;

    @BeforeAll
    static void start() throws Exception {
        Files.write(dir.resolve("without-metadata.wasm"), new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0});
        server = new RunningServer(
                dir,
                POLICIES,
                "--always-accept-admission-reviews-on-namespace=kubewarden",
                "--workers=4",
                "--disable-group-member-warnings");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static Stream<String> names() throws IOException {
        try (var files = Files.list(EXAMPLES)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".request.http"))
                    .map(file -> file.substring(0, file.length() - ".request.http".length()))
                    .filter(name -> !SKIPPED.contains(name) && !LARGE.contains(name))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void answersLikeTheOriginal(String name) throws IOException {
        var expected = RawHttp.parse(Files.readAllBytes(EXAMPLES.resolve(name + ".response.http")));
        var answer = replay(server.http(), name);

        var decision = DIFFERENT_ANSWER.get(name);
        if (decision != null) {
            assertThat(List.of(Integer.toString(answer.status()), answer.body()))
                    .isEqualTo(decision);
            return;
        }
        assertThat(answer.status()).isEqualTo(expected.status());
        var rejection = DIFFERENT_REJECTION.get(name);
        if (rejection != null) {
            assertThat(rejection(answer)).isEqualTo(rejection);
            return;
        }
        if (PLAIN_TEXT_UPSTREAM.contains(name)) {
            assertThatJson(answer.body()).inPath("message").isString().isEqualTo(expected.body());
        } else if (expected.body().isEmpty()) {
            assertThat(answer.body()).isEmpty();
        } else {
            assertThatJson(answer.body()).isEqualTo(asOpaPrints(expected.body()));
        }
        assertThat(answer.header("Allow")).isEqualTo(expected.header("Allow"));
    }

    /** Rego's {@code sprintf} prints objects as OPA does; the original prints them as Go does (42, 92, 93). */
    private static String asOpaPrints(String body) {
        return body.replace("map[privileged:true]", "{\\\"privileged\\\": true}");
    }

    private static RawHttp.Answer replay(RawHttp http, String name) throws IOException {
        var request = Files.readAllBytes(EXAMPLES.resolve(name + ".request.http"));
        var text = new String(request, StandardCharsets.ISO_8859_1);
        var end = text.indexOf("\r\n\r\n") + 4;
        var body = LARGE.contains(name)
                ? largeBody(text.substring(0, end), text.substring(end))
                : Arrays.copyOfRange(request, end, request.length);
        return http.send(text.substring(0, end), body);
    }

    /** Returns the recorded beginning, padded to the recorded length. */
    private static byte[] largeBody(String head, String beginning) {
        var length = Integer.parseInt(head.replaceAll("(?s).*Content-Length: (\\d+).*", "$1"));
        var start = beginning.substring(0, beginning.indexOf("\"pad\": \"") + 8);
        var end = "\"}},\"spec\":{\"containers\":[{\"name\":\"nginx\",\"image\":\"nginx\"}]}}}}";
        var middle = "x".repeat(length - start.length() - end.length());
        return (start + middle + end).getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"23-oversized-3MB", "24-just-under-2MiB", "78-audit-oversized"})
    void evaluatesLargeBodies(String name) throws IOException {
        var answer = replay(server.http(), name);

        assertThat(answer.status()).isEqualTo(200);
        assertThatJson(answer.body()).inPath("response.allowed").isEqualTo(true);
    }

    @Test
    void answersLikeTheOriginalWithItsBodyLimit(@TempDir Path other) throws Exception {
        try (var strict = new RunningServer(
                other, "priv: {module: $POLICIES/privileged-pods/policy.wasm}\n", "--max-body-bytes=2097152")) {
            for (var name : LARGE) {
                var expected = RawHttp.parse(Files.readAllBytes(EXAMPLES.resolve(name + ".response.http")));
                var answer = replay(strict.http(), name);

                assertThat(answer.status()).as(name).isEqualTo(expected.status());
                if (expected.header("Content-Type").equals("application/json")) {
                    assertThatJson(answer.body()).isEqualTo(expected.body());
                } else {
                    assertThatJson(answer.body()).inPath("message").isString().isEqualTo(expected.body());
                }
            }
        }
    }

    @Test
    void servesReadinessOnASeparatePort() throws IOException {
        var answer = replay(server.probes(), "97-readiness");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void acceptsTheSpecialNamespaceWithoutEvaluation() throws IOException {
        var review = Reviews.rejected().replace("\"namespace\": \"default\"", "\"namespace\": \"kubewarden\"");

        assertThatJson(server.http().post("/validate/priv", review).body())
                .inPath("response.allowed")
                .isEqualTo(true);
        assertThatJson(server.http().post("/audit/priv", review).body())
                .inPath("response.allowed")
                .isEqualTo(true);
        assertThat(server.http().post("/validate/nope", review).status()).isEqualTo(404);
    }

    @Test
    void policiesThatDidNotLoadRejectWithTheirCause() throws IOException {
        assertThat(rejection("badset")).isEqualTo(recordedMessage("B-badset"));
        assertThat(rejection("missing"))
                .isEqualTo("bootstrap failure: missing: Cannot find policy with uri: file:///nowhere/policy.wasm");
        assertThat(rejection("unann")).isEqualTo(recordedMessage("B-unann"));
    }

    private static String rejection(String policy) throws IOException {
        return rejection(server.http().post("/validate/" + policy, Reviews.allowed()));
    }

    private static String rejection(RawHttp.Answer answer) {
        assertThat(answer.status()).isEqualTo(200);
        assertThatJson(answer.body()).inPath("response.allowed").isEqualTo(false);
        assertThatJson(answer.body()).inPath("response.status.code").isEqualTo(500);
        return answer.body().replaceAll(".*\"message\":\"(.*)\",\"code\".*", "$1");
    }

    private static String recordedMessage(String name) {
        try {
            return RawHttp.parse(Files.readAllBytes(EXAMPLES.resolve(name + ".response.http")))
                    .body()
                    .replaceAll(".*\"message\":\"(.*)\",\"code\".*", "$1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
