package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the real command in the background: it returns and writes a process id, and that process serves until it is stopped.
 */
class DaemonTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    Path dir;

    @Test
    void servesInTheBackgroundUntilItsProcessIsStopped() throws Exception {
        Files.writeString(dir.resolve("policies.yml"), "{}");
        var launcher = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.portcullis.server.Main",
                        "--addr=127.0.0.1",
                        "--port=0",
                        "--readiness-probe-port=0",
                        "--drain-lag=0s",
                        "--policies=" + dir.resolve("policies.yml"),
                        "--policies-download-dir=" + dir.resolve("store"),
                        "--daemon",
                        "--daemon-pid-file=" + dir.resolve("server.pid"),
                        "--daemon-stdout-file=" + dir.resolve("out.log"),
                        "--daemon-stderr-file=" + dir.resolve("err.log")))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(dir.resolve("launcher.log").toFile()))
                .start();

        assertThat(launcher.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(dir.resolve("launcher.log")).isEmptyFile();
        assertThat(launcher.exitValue()).isZero();
        var daemon = ProcessHandle.of(Long.parseLong(
                        Files.readString(dir.resolve("server.pid")).strip()))
                .orElseThrow();
        try {
            await().atMost(TIMEOUT)
                    .untilAsserted(
                            () -> assertThat(dir.resolve("out.log")).content().contains("policy server ready"));
            var port = Files.readString(dir.resolve("out.log")).replaceAll("(?s).*ready.* port=(\\d+).*", "$1");
            assertThat(new RawHttp(Integer.parseInt(port)).get("/policies").status())
                    .isEqualTo(200);
            assertThat(dir.resolve("err.log")).exists();

            daemon.destroy();
            await().atMost(TIMEOUT).until(() -> !daemon.isAlive());
        } finally {
            daemon.destroyForcibly();
        }
    }
}
