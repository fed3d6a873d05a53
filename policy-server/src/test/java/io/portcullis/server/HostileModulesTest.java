package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.testkit.hostile.HostileModules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a module that is too expensive to prepare serves all other policies. */
class HostileModulesTest {

    private static final String PRIVILEGED = "{module: $POLICIES/privileged-pods/policy.wasm}";
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    @TempDir
    Path dir;

    private static String states(RunningServer server) throws IOException {
        return server.http().get("/policies").body();
    }

    @Test
    void keepsTheLastGoodVersionWhenTheNextModuleCannotBePrepared() throws Exception {
        Files.write(dir.resolve("bomb.wasm"), HostileModules.expensiveToCompile(10, 100_000, 400));
        var limits = new String[] {
            "--preparation-memory=200Mi",
            "--preparation-timeout=120s",
            "--policies-download-dir=" + dir.resolve("store")
        };
        try (var server = new RunningServer(dir, "a: " + PRIVILEGED + "\n", limits)) {
            server.write("a: {module: ./bomb.wasm}\nother: " + PRIVILEGED + "\n");
            await().atMost(TIMEOUT)
                    .untilAsserted(() ->
                            assertThatJson(states(server)).inPath("[0].state").isEqualTo("failed"));
            assertThatJson(states(server)).inPath("[0].servedGeneration").isEqualTo(1);
            assertThatJson(states(server))
                    .inPath("[0].lastError")
                    .isString()
                    .contains("more than 200 MiB", "--preparation-memory", "quarantined until");
            assertThat(server.http().post("/validate/a", Reviews.rejected()).body())
                    .contains("Privileged container is not allowed");
            assertThat(server.http().post("/validate/other", Reviews.allowed()).status())
                    .isEqualTo(200);
            assertThat(server.metrics()).contains("kubewarden_quarantined_modules 1");
        }
        try (var restarted = new RunningServer(dir, "a: {module: ./bomb.wasm}\nother: " + PRIVILEGED + "\n", limits)) {
            assertThat(restarted.metrics())
                    .as("the restarted server does not try the module again")
                    .contains("kubewarden_preparations_total{result=\"quarantined\"} 1")
                    .doesNotContain("kubewarden_preparations_total{result=\"memory\"}");
            assertThat(restarted
                            .http()
                            .post("/validate/other", Reviews.allowed())
                            .status())
                    .isEqualTo(200);
        }
    }
}
