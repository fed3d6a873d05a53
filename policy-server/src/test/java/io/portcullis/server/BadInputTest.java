package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The errors that an HTTP client can cause. */
class BadInputTest {

    @TempDir
    static Path dir;

    private static RunningServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new RunningServer(dir, """
                priv: {module: $POLICIES/privileged-pods/policy.wasm}
                user: {module: $POLICIES/run-as-user/policy.wasm, allowedToMutate: true}
                raw: {module: $POLICIES/raw-validation/policy.wasm, settings: {validUsers: [a], validActions: [b], validResources: [c]}}
                loop: {module: $POLICIES/misbehaving/endless-loop.wasm, timeoutEvalSeconds: 1}
                bomb: {module: $POLICIES/misbehaving/memory-bomb.wasm}
                """, "--max-body-bytes=100000");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String head(String... headers) {
        return "POST /validate/priv HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
    }

    private static void assertProblem(RawHttp.Answer answer, int status, String message) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        assertThatJson(answer.body()).inPath("message").isString().isEqualTo(message);
        assertThatJson(answer.body()).inPath("status").isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/validate/priv", "/audit/priv", "/validate_raw/raw", "/validate/unknown"})
    void rejectsABodyThatIsNotJson(String path) throws IOException {
        var answer = server.http().post(path, "{");

        assertProblem(
                answer,
                400,
                "Failed to parse the request body as JSON: EOF while parsing an object at line 1 column 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/validate/priv", "/audit/priv", "/validate_raw/raw", "/validate/unknown"})
    void answersUnprocessableToABodyWithoutRequest(String path) throws IOException {
        assertProblem(
                server.http().post(path, "{}"),
                422,
                "Failed to deserialize the JSON body into the target type: missing field `request` at line 1 column 2");
    }

    @Test
    void rejectsDeepNesting() throws IOException {
        var deep = "{\"request\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}";

        var answer = server.http().post("/validate_raw/raw", deep);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("recursion limit exceeded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/jsonx", "application/x-www-form-urlencoded", "json", ""})
    void rejectsOtherContentTypes(String type) throws IOException {
        var head = type.isEmpty()
                ? head("Connection: close", "Content-Length: 2")
                : head("Connection: close", "Content-Type: " + type, "Content-Length: 2");

        assertProblem(
                server.http().send(head, "{}".getBytes(StandardCharsets.UTF_8)),
                415,
                "Expected request with `Content-Type: application/json`");
    }

    @Test
    void refusesATooLargeDeclaredBodyWithoutReadingIt() throws IOException {
        var head = head("Content-Type: application/json", "Content-Length: 99999999");

        assertProblem(
                server.http().send(head, new byte[0]), 413, "Failed to buffer the request body: length limit exceeded");
    }

    @Test
    void refusesAChunkedBodyThatGrowsTooLarge() throws IOException {
        var head = head("Content-Type: application/json", "Transfer-Encoding: chunked");
        var chunk = "2710\r\n" + " ".repeat(10_000) + "\r\n";

        assertProblem(
                server.http().send(head, chunk.repeat(11).getBytes(StandardCharsets.UTF_8)),
                413,
                "Failed to buffer the request body: length limit exceeded");
    }

    @Test
    void evaluatesAChunkedBodyWithinTheLimit() throws IOException {
        var body = Reviews.allowed();
        var head = head("Connection: close", "Content-Type: application/json", "Transfer-Encoding: chunked");
        var chunked = Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n";

        assertThat(server.http()
                        .send(head, chunked.getBytes(StandardCharsets.UTF_8))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void answersNotFoundToUnknownPoliciesAndGenerations() throws IOException {
        assertProblem(server.http().post("/validate/nope", Reviews.allowed()), 404, "unknown policy: nope");
        assertProblem(
                server.http().post("/validate/priv/7", Reviews.allowed()), 404, "unknown policy: priv generation 7");
        assertProblem(server.http().post("/audit/nope/1", Reviews.allowed()), 404, "unknown policy: nope generation 1");
    }

    @Test
    void evaluatesTheGenerationInThePath() throws IOException {
        assertThat(server.http().post("/validate/priv/1", Reviews.allowed()).status())
                .isEqualTo(200);
        assertThat(server.http().post("/audit/priv/1", Reviews.allowed()).status())
                .isEqualTo(200);
        assertThat(server.http()
                        .post("/validate_raw/raw/1", "{\"request\":{\"user\":\"a\"}}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void answersNotFoundWithoutABodyToUnknownPaths() throws IOException {
        for (var path : List.of(
                "/",
                "/validate",
                "/validate/",
                "/validate/priv/",
                "/validate/priv/1/2",
                "/validate/priv/x",
                "/validate/a%2Fb",
                "/validate/priv%2F1",
                "/debug/pprof/cpu",
                "/metrics")) {
            var answer = server.http().post(path, "{}");

            assertThat(answer.status()).as(path).isEqualTo(404);
            assertThat(answer.body()).as(path).isEmpty();
        }
    }

    @Test
    void decodesPolicyNames() throws IOException {
        assertThat(server.http().post("/validate/%70riv", Reviews.allowed()).status())
                .isEqualTo(200);
        assertProblem(
                server.http().post("/validate/%ff", Reviews.allowed()),
                400,
                "Invalid URL: Invalid UTF-8 in `policy_id`");
    }

    @Test
    void rejectsOtherMethods() throws IOException {
        for (var path : List.of("/validate/priv", "/audit/priv", "/validate_raw/raw", "/validate/priv/1")) {
            var answer = server.http().get(path);

            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.header("Allow")).isEqualTo("POST");
            assertThat(answer.body()).isEmpty();
        }
        assertThat(server.http().post("/policies", "{}").header("Allow")).isEqualTo("GET,HEAD");
    }

    /** The long key changes nothing. An HTTP error would admit the object where the webhook ignores failures. */
    @ParameterizedTest
    @CsvSource({"priv, false", "user, true"})
    void evaluatesAnObjectWithAVeryLongKey(String policy, boolean allowed) throws IOException {
        var body =
                Reviews.rejected().replaceFirst("\"object\":\\s*\\{", "\"object\":{\"" + "k".repeat(60_000) + "\":1,");
        assertThat(body).hasSizeGreaterThan(60_000);

        var answer = server.http().post("/validate/" + policy, body);

        assertThat(answer.status()).isEqualTo(200);
        assertThatJson(answer.body()).inPath("response.allowed").isEqualTo(allowed);
        assertThat(answer.body())
                .isEqualTo(server.http()
                        .post("/validate/" + policy, Reviews.rejected())
                        .body());
    }

    @Test
    void acceptsANullRawRequest() throws IOException {
        var answer = server.http().post("/validate_raw/raw", "{\"request\":null}");

        assertThat(answer.status()).isEqualTo(200);
        assertThatJson(answer.body()).inPath("response.uid").isEqualTo("\"\"");
    }

    @Test
    void rejectsAnEndlessLoopAtItsDeadline() throws IOException {
        var answer = server.http().post("/validate/loop", Reviews.allowed());

        assertThatJson(answer.body())
                .inPath("response.status")
                .isEqualTo(
                        "{\"message\":\"Policy execution interrupted because it exceeded the allowed execution time\",\"code\":500}");
    }

    @Test
    void theTimeoutOfTheClientShortensTheDeadline() throws IOException {
        var answer = server.http().post("/validate/loop?timeout=50ms", Reviews.allowed());

        assertThat(answer.body()).contains("exceeded the allowed execution time");
        assertThat(server.http()
                        .post("/validate/priv?timeout=nonsense", Reviews.allowed())
                        .status())
                .isEqualTo(200);
    }
}
