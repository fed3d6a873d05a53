package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

/**
 * Exchanges recorded with the original server, sent to ours: same status, same body. An exchange takes part when its
 * files are in {@code wire-examples} and its policy is in {@link #POLICIES}. Where ours differs on purpose, the exchange
 * is listed here and in {@code docs/compatibility.md}.
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
            """;

    /** Same text, but as JSON like everywhere else. */
    private static final Set<String> PLAIN_TEXT_UPSTREAM =
            Set.of("76-audit-malformed", "77-audit-wrong-shape", "86-raw-malformed", "87-raw-missing-request");

    /** Ours answers otherwise on purpose: status and body. */
    private static final Map<String, List<String>> DECIDED_OTHERWISE = Map.of(
            "50-group-member-direct", List.of("404", ""),
            "51-too-many-slashes", List.of("404", ""));

    /** Recorded with a server that had another configuration, or compared by name below. */
    private static final Set<String> ELSEWHERE = Set.of(
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
                dir, POLICIES, "--always-accept-admission-reviews-on-namespace=kubewarden", "--workers=4");
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
                    .filter(name -> !ELSEWHERE.contains(name))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void answersAsTheOriginal(String name) throws IOException {
        var expected = RawHttp.parse(Files.readAllBytes(EXAMPLES.resolve(name + ".response.http")));
        var answer = replay(server.http(), name);

        var decision = DECIDED_OTHERWISE.get(name);
        if (decision != null) {
            assertThat(List.of(Integer.toString(answer.status()), answer.body()))
                    .isEqualTo(decision);
            return;
        }
        assertThat(answer.status()).isEqualTo(expected.status());
        if (PLAIN_TEXT_UPSTREAM.contains(name)) {
            assertThatJson(answer.body()).inPath("message").isString().isEqualTo(expected.body());
        } else if (expected.body().isEmpty()) {
            assertThat(answer.body()).isEmpty();
        } else {
            assertThatJson(answer.body()).isEqualTo(expected.body());
        }
        assertThat(answer.header("Allow")).isEqualTo(expected.header("Allow"));
    }

    private static RawHttp.Answer replay(RawHttp http, String name) throws IOException {
        var request = Files.readAllBytes(EXAMPLES.resolve(name + ".request.http"));
        var text = new String(request, StandardCharsets.ISO_8859_1);
        var end = text.indexOf("\r\n\r\n") + 4;
        var body = java.util.Arrays.copyOfRange(request, end, request.length);
        return http.send(text.substring(0, end), body);
    }

    @Test
    void readinessIsOnItsOwnPort() throws IOException {
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
        var answer = server.http().post("/validate/" + policy, Reviews.allowed());
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
