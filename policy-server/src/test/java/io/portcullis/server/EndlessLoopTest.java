package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest that never ends delays only its own request. */
class EndlessLoopTest {

    private static final int OTHERS = 20;
    private static final String TOO_LONG =
            "Policy execution interrupted because it exceeded the allowed execution time";

    @TempDir
    Path dir;

    @Test
    void answersOtherRequestsWhileALoopRuns() throws Exception {
        try (var server = new RunningServer(dir, """
                        priv: {module: $POLICIES/privileged-pods/policy.wasm}
                        loop: {module: $POLICIES/misbehaving/endless-loop.wasm, timeoutEvalSeconds: 3}
                        """, "--workers=2");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ExecutorCompletionService<RawHttp.Answer>(threads);
            var loop = answers.submit(post(server, "/validate/loop"));
            await().until(() -> server.metrics().contains("kubewarden_evaluations_running 1"));
            for (int i = 0; i < OTHERS; i++) {
                answers.submit(post(server, "/validate/priv"));
            }

            for (int i = 0; i < OTHERS; i++) {
                var first = answers.take();
                assertThat(first).isNotSameAs(loop);
                assertThatJson(first.get().body()).inPath("response.allowed").isEqualTo(true);
            }
            assertThat(answers.take()).isSameAs(loop);
            assertThatJson(loop.get().body())
                    .inPath("response.status")
                    .isEqualTo("{\"message\":\"" + TOO_LONG + "\",\"code\":500}");
        }
    }

    /** The server has no timeout here, so only the timeout of the client ends the loop. An answer proves that it does. */
    @Test
    void theTimeoutOfTheClientEndsAGroupToo() throws Exception {
        try (var server = new RunningServer(dir, """
                group:
                  expression: a() && b()
                  message: the group says no
                  policies:
                    a: {module: $POLICIES/privileged-pods/policy.wasm}
                    b: {module: $POLICIES/misbehaving/endless-loop.wasm}
                """, "--disable-timeout-protection")) {
            var answer = post(server, "/validate/group?timeout=1s").call();

            assertThatJson(answer.body())
                    .inPath("response.status")
                    .isEqualTo("{\"message\":\"error evaluating policy group expression: error invoking group/b: "
                            + TOO_LONG + "\",\"code\":500}");
        }
    }

    private static Callable<RawHttp.Answer> post(RunningServer server, String path) {
        return () -> server.http().post(path, Reviews.allowed());
    }
}
