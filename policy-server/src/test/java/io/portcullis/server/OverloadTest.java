package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverloadTest {

    private static final String POLICIES = """
            slow: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 60000}, timeoutEvalSeconds: 5}
            cheap: {module: $POLICIES/privileged-pods/policy.wasm}
            """;

    @TempDir
    Path dir;

    private static Thread send(RunningServer server, String body, AtomicReference<String> answer) {
        return Thread.ofVirtual().start(() -> {
            try {
                answer.set(server.http().post("/validate/slow", body).body());
            } catch (IOException e) {
                answer.set(e.toString());
            }
        });
    }

    @Test
    void aSlowPolicyDelaysNeitherAFastOneNorTheProbes() throws Exception {
        try (var server = new RunningServer(dir, POLICIES, "--workers=1")) {
            var threads = new ArrayList<Thread>();
            for (var i = 0; i < 4; i++) {
                threads.add(send(server, Reviews.sleeping(3000), new AtomicReference<>("")));
            }
            await().until(() -> server.metrics().contains("kubewarden_evaluations_running 1"));

            for (var i = 0; i < 10; i++) {
                assertThat(server.http()
                                .post("/validate/cheap", Reviews.allowed())
                                .body())
                        .contains("\"allowed\":true");
            }
            assertThat(server.probes().get("/readiness").status()).isEqualTo(200);

            assertThat(server.metrics()).contains("kubewarden_evaluations_running 1");
            assertThat(threads).allMatch(Thread::isAlive);
        }
    }

    @Test
    void shedsWithAMessageWhenTheQueueIsFull() throws Exception {
        try (var server = new RunningServer(dir, POLICIES, "--workers=1", "--queue-size=1")) {
            var running = send(server, Reviews.sleeping(3000), new AtomicReference<>(""));
            await().until(() -> server.metrics().contains("kubewarden_evaluations_running 1"));
            var waiting = send(server, Reviews.sleeping(1), new AtomicReference<>(""));
            await().until(() -> server.metrics().contains("kubewarden_evaluations_waiting 1"));

            var answer = server.http().post("/validate/slow", Reviews.sleeping(1));

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.header("Retry-After")).isEqualTo("1");
            assertThatJson(answer.body())
                    .isEqualTo(
                            "{\"message\":\"server overloaded: 1 evaluations are waiting already (--queue-size of the server)\",\"status\":503}");
            assertThat(server.metrics()).contains("kubewarden_requests_shed_total{policy_name=\"slow\"} 1");
            running.join();
            waiting.join();
        }
    }

    /** Uses ten times as many clients as the queue of one policy has places. */
    @Test
    void aFloodForOnePolicyNeverCausesRefusalsForAnother() throws Exception {
        try (var server = new RunningServer(dir, POLICIES, "--workers=1", "--queue-size=40", "--policy-queue-size=20");
                var stop = new Flood(server)) {
            await().until(() -> server.metrics().contains("kubewarden_requests_shed_total{policy_name=\"slow\"}"));
            for (var i = 0; i < 200; i++) {
                assertThat(server.http()
                                .post("/validate/cheap", Reviews.allowed())
                                .status())
                        .isEqualTo(200);
            }
            assertThat(server.probes().get("/readiness").status()).isEqualTo(200);
            assertThat(server.probes().get("/liveness").status()).isEqualTo(200);
            assertThat(server.metrics()).contains("kubewarden_policy_evaluations_waiting{policy_name=\"slow\"}");
            assertThat(stop.isRunning()).isTrue();
        }
    }

    /** Runs 200 clients that call a slow policy repeatedly until this object is closed. */
    private static final class Flood implements AutoCloseable {

        private final List<Thread> clients = new ArrayList<>();
        private volatile boolean isClosed;

        Flood(RunningServer server) {
            for (var i = 0; i < 200; i++) {
                clients.add(Thread.ofVirtual().start(() -> {
                    while (!isClosed) {
                        try {
                            server.http().post("/validate/slow", Reviews.sleeping(500));
                        } catch (IOException e) {
                            Thread.onSpinWait(); // refused; the next request may be accepted
                        }
                    }
                }));
            }
        }

        boolean isRunning() {
            return clients.stream().allMatch(Thread::isAlive);
        }

        @Override
        public void close() {
            isClosed = true;
            try {
                for (var client : clients) {
                    client.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void answersRunningRequestsDuringShutdown() throws Exception {
        try (var server = new RunningServer(dir, POLICIES)) {
            var answer = new AtomicReference<String>("");
            var request = send(server, Reviews.sleeping(500), answer);
            await().until(() -> server.metrics().contains("kubewarden_evaluations_running 1"));

            server.server.becomeUnready();
            assertThat(server.probes().get("/readiness").status()).isEqualTo(503);
            server.server.stopAccepting(Duration.ofSeconds(30));
            assertThat(server.server.awaitIdle(Duration.ofSeconds(30))).isTrue();
            request.join();

            assertThat(answer.get()).contains("\"allowed\":true");
        }
    }
}
