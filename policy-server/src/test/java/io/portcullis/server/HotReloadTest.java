package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HotReloadTest {

    private static final String PRIVILEGED = "{module: $POLICIES/privileged-pods/policy.wasm}";
    private static final String SLOW =
            "{module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 400}, timeoutEvalSeconds: 10}";

    @TempDir
    Path dir;

    private static String states(RunningServer server) throws IOException {
        return server.http().get("/policies").body();
    }

    @Test
    void addsChangesAndRemovesPolicies() throws Exception {
        try (var server = new RunningServer(dir, "a: " + PRIVILEGED + "\nb: " + PRIVILEGED + "\n")) {
            server.write(
                    "a: {module: $POLICIES/privileged-pods/policy.wasm, message: changed}\nc: " + PRIVILEGED + "\n");

            await().untilAsserted(() -> assertThat(
                            server.http().post("/validate/c", Reviews.allowed()).status())
                    .isEqualTo(200));
            assertThat(server.http().post("/validate/a", Reviews.rejected()).body())
                    .contains("\"message\":\"changed\"");
            assertThat(server.http().post("/validate/b", Reviews.allowed()).status())
                    .isEqualTo(404);
            assertThat(server.http().post("/validate/a/2", Reviews.allowed()).status())
                    .isEqualTo(200);
            assertThat(server.http().post("/validate/a/1", Reviews.allowed()).status())
                    .isEqualTo(404);
            assertThatJson(states(server)).inPath("[*].id").isEqualTo("[\"a\",\"c\"]");
            assertThatJson(states(server)).inPath("[*].generation").isEqualTo("[2,1]");
        }
    }

    /** Otherwise it would elect a leader and reconcile revisions of that cluster. */
    @Test
    void callsNoApiServerAlthoughTheEnvironmentNamesOne() throws Exception {
        var calls = new AtomicInteger();
        var apiServer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        apiServer.createContext("/", exchange -> {
            try (exchange) {
                calls.incrementAndGet();
                exchange.sendResponseHeaders(404, -1);
            }
        });
        apiServer.start();
        var kubeconfig = Files.writeString(
                dir.resolve("kubeconfig"), """
                    {apiVersion: v1, kind: Config, current-context: a, users: [{name: a, user: {}}],
                     contexts: [{name: a, context: {cluster: a, user: a}}],
                     clusters: [{name: a, cluster: {server: "http://127.0.0.1:%d"}}]}
                    """.formatted(apiServer.getAddress().getPort()));
        try (var server =
                new RunningServer(dir, Map.of("KUBECONFIG", kubeconfig.toString()), "a: " + PRIVILEGED + "\n")) {
            server.write("a: " + PRIVILEGED + "\nb: " + PRIVILEGED + "\n");

            await().untilAsserted(() -> assertThat(
                            server.http().post("/validate/b", Reviews.allowed()).status())
                    .isEqualTo(200));
            assertThat(calls).hasValue(0);
        } finally {
            apiServer.stop(0);
        }
    }

    @Test
    void keepsTheLastGoodGenerationAfterABrokenChange() throws Exception {
        try (var server = new RunningServer(dir, "a: " + PRIVILEGED + "\n")) {
            server.write("a: {module: $POLICIES/nowhere.wasm}\nother: " + PRIVILEGED + "\n");

            await().untilAsserted(() ->
                    assertThatJson(states(server)).inPath("[0].state").isEqualTo("failed"));
            assertThatJson(states(server)).inPath("[0].generation").isEqualTo(2);
            assertThatJson(states(server)).inPath("[0].servedGeneration").isEqualTo(1);
            assertThatJson(states(server)).inPath("[0].lastError").isString().startsWith("Cannot find policy");
            assertThat(server.http().post("/validate/a", Reviews.rejected()).body())
                    .contains("Privileged container is not allowed");
            assertThat(server.http().post("/validate/other", Reviews.allowed()).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void anInvalidEntryDoesNotAffectTheOthers() throws Exception {
        try (var server = new RunningServer(dir, "a: " + PRIVILEGED + "\n")) {
            server.write("a: {module: 1}\nb: " + PRIVILEGED + "\n");

            await().untilAsserted(() -> assertThat(
                            server.http().post("/validate/b", Reviews.allowed()).status())
                    .isEqualTo(200));
            assertThatJson(states(server))
                    .inPath("[0].lastError")
                    .isString()
                    .isEqualTo("policy 'a': 'module' must be text, not the number 1 (line 1, column 13)");
            assertThat(server.http().post("/validate/a", Reviews.allowed()).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void keepsAllPoliciesWhenTheFileCannotBeRead() throws Exception {
        try (var server = new RunningServer(dir, "a: " + PRIVILEGED + "\n")) {
            server.write("a: [");
            server.write("a: {module: ${");
            server.write("b: " + PRIVILEGED + "\na: " + PRIVILEGED + "\n");

            await().untilAsserted(() -> assertThat(
                            server.http().post("/validate/b", Reviews.allowed()).status())
                    .isEqualTo(200));
            assertThatJson(states(server)).inPath("[0].generation").isEqualTo(1);
        }
    }

    @Test
    void runningRequestsFinishWithTheGenerationTheyStartedWith() throws Exception {
        try (var server = new RunningServer(dir, "a: " + SLOW + "\n")) {
            var body = new java.util.concurrent.atomic.AtomicReference<String>("");
            var request = Thread.ofVirtual().start(() -> {
                try {
                    body.set(
                            server.http().post("/validate/a", Reviews.allowed()).body());
                } catch (IOException e) {
                    body.set(e.toString());
                }
            });
            await().until(() -> server.metrics().contains("kubewarden_evaluations_running 1"));

            server.write("b: " + PRIVILEGED + "\n");
            request.join();

            assertThat(body.get()).contains("\"allowed\":true");
        }
    }

    @Test
    void losesNoRequestWhileAPolicyChangesRepeatedly() throws Exception {
        try (var server = new RunningServer(dir, "a: " + PRIVILEGED + "\n")) {
            var done = new AtomicBoolean();
            var sent = new AtomicInteger();
            var wrong = new AtomicInteger();
            var review = Reviews.rejected();
            var client = Thread.ofVirtual().start(() -> {
                while (!done.get()) {
                    try {
                        var answer = server.http().post("/validate/a", review);
                        sent.incrementAndGet();
                        if (answer.status() != 200 || !answer.body().contains("\"allowed\":false")) {
                            wrong.incrementAndGet();
                        }
                    } catch (IOException e) {
                        wrong.incrementAndGet();
                    }
                }
            });

            for (var generation = 2; generation <= 10; generation++) {
                server.write("a: {module: $POLICIES/privileged-pods/policy.wasm, message: m" + generation + "}\n");
                var wanted = generation;
                await().untilAsserted(() -> assertThatJson(states(server))
                        .inPath("[0].servedGeneration")
                        .isEqualTo(wanted));
            }
            done.set(true);
            client.join();

            assertThat(sent).hasPositiveValue();
            assertThat(wrong).hasValue(0);
        }
    }
}
