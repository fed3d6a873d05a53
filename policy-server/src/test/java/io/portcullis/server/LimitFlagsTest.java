package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that limits which an operator sets with flags take effect. */
class LimitFlagsTest {

    @TempDir
    Path dir;

    private RunningServer start(String... flags) throws Exception {
        return new RunningServer(dir, """
                check: {module: $POLICIES/privileged-pods/policy.wasm}
                change: {module: $POLICIES/run-as-user/policy.wasm, allowedToMutate: true, settings: {runAsUser: 1000}}
                """, flags);
    }

    private static String review(String label) throws IOException {
        var review = Files.readString(Path.of("..", "examples", "allowed-review.json"));
        return review.replaceFirst("\"object\": \\{", "\"object\": {\"longText\": \"" + label + "\",");
    }

    private static void assertRejected(RawHttp.Answer answer, String message) {
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).contains("\"allowed\":false").contains(message);
    }

    @Test
    void rejectsHeadersAboveTheLimit() throws Exception {
        try (var server = start("--max-header-bytes=2048")) {
            var head = "GET /policies HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\nConnection: close\r\n\r\n";

            assertThat(status(server, head.formatted("a".repeat(100)))).isEqualTo(200);
            assertThat(status(server, head.formatted("a".repeat(3000)))).isEqualTo(400);
        }
    }

    private static int status(RunningServer server, String head) throws IOException {
        return server.http().send(head, new byte[0]).status();
    }

    @Test
    void doesNotLoadAPolicyThatNeedsMoreThanTheInstanceMemory() throws Exception {
        try (var server = start("--instance-memory=1Mi")) {
            assertThat(server.http().get("/policies").body())
                    .contains("memory minimum size of 17 pages exceeds memory limits");
        }
    }

    @Test
    void rejectsAMutationThatNeedsMoreThanTheHostFunctionMemory() throws Exception {
        try (var server = start("--host-function-memory=64Ki")) {
            assertRejected(
                    server.http().post("/validate/change", review("a".repeat(100_000))), "--host-function-memory");
        }
    }
}
