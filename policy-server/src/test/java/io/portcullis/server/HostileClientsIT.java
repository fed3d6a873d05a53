package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a real server with little memory and few file descriptors against clients that exhaust them. */
class HostileClientsIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final String HEAD = "POST /validate/priv HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

    @TempDir
    Path dir;

    private final List<Socket> sockets = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (var socket : sockets) {
            socket.close();
        }
        for (var process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    private record Server(Process process, Path log) {

        int number(String key) throws IOException {
            return Integer.parseInt(Files.readString(log).replaceAll("(?s).*ready.* " + key + "=(\\d+).*", "$1"));
        }

        RawHttp api() throws IOException {
            return new RawHttp(number("port"));
        }

        RawHttp probes() throws IOException {
            return new RawHttp(number("readiness_port"));
        }

        boolean evaluates() {
            try {
                return api().post("/validate/priv", Reviews.allowed()).body().contains("\"allowed\":true");
            } catch (IOException e) {
                return false;
            }
        }

        boolean isHealthy() {
            try {
                return probes().get("/readiness").status() == 200
                        && probes().get("/liveness").status() == 200;
            } catch (IOException e) {
                return false;
            }
        }
    }

    /** @param descriptors the number of files that the server may open */
    private Server start(int descriptors, String heap, String... flags) throws IOException {
        var policies = Path.of("..", "policies").toAbsolutePath().normalize().toUri();
        Files.writeString(dir.resolve("policies.yml"), """
                priv: {module: $POLICIES/privileged-pods/policy.wasm}
                loop: {module: $POLICIES/misbehaving/endless-loop.wasm}
                """.replace("$POLICIES", policies.toString()));
        var command = new ArrayList<>(List.of(
                "bash",
                "-c",
                "ulimit -n " + descriptors + " && exec \"$@\"",
                "server",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:-MaxFDLimit",
                "-Xss512k",
                heap,
                "-cp",
                System.getProperty("java.class.path"),
                "io.portcullis.server.Main",
                "--addr=127.0.0.1",
                "--port=0",
                "--readiness-probe-port=0",
                "--drain-lag=0s",
                "--policies=" + dir.resolve("policies.yml"),
                "--policies-download-dir=" + dir.resolve("store")));
        command.addAll(List.of(flags));
        var log = dir.resolve("server.log");
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(log.toFile()))
                .start();
        processes.add(process);
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(log).content().contains("policy server ready"));
        return new Server(process, log);
    }

    /** Opens connections and sends the same text on each. Ignores refused connections. */
    private void flood(Server server, int count, String text) throws IOException {
        var port = server.number("port");
        for (var i = 0; i < count; i++) {
            try {
                var socket = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(socket);
                socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                assertThat(server.process().isAlive()).isTrue();
            }
        }
    }

    private static void assertServes(Server server) {
        await().atMost(TIMEOUT).until(server::evaluates);
        await().atMost(TIMEOUT).until(server::isHealthy);
        assertThat(server.process().isAlive()).isTrue();
        assertThat(server.log()).content().doesNotContain("\tat ");
    }

    @Test
    void servesOthersWhileOneClientOpensAllDescriptors() throws Exception {
        var server = start(256, "-Xmx128m");

        flood(server, 1000, "");

        assertServes(server);
    }

    /** Lowers the limit of open files after the start, as if other code of the process had opened them. */
    @Test
    void acceptsConnectionsAgainAfterTheProcessRanOutOfDescriptors() throws Exception {
        var server = start(1024, "-Xmx128m");
        assertServes(server);
        assertThat(server.api().send("BAD\r\n\r\n", new byte[0]).status()).isEqualTo(400);
        flood(server, 3, HEAD);
        long limit;
        try (var open =
                Files.list(Path.of("/proc", Long.toString(server.process().pid()), "fd"))) {
            limit = open.count() + 20;
        }
        var lowered = new ProcessBuilder("prlimit", "--pid=" + server.process().pid(), "--nofile=" + limit + ":1024")
                .inheritIO()
                .start();
        assertThat(lowered.waitFor()).isZero();

        flood(server, 300, HEAD);

        assertServes(server);
        assertThat(server.log()).content().contains("cannot accept a connection; trying again");
    }

    @Test
    void declaredBodiesTakeNoMemory() throws Exception {
        var server = start(4096, "-Xmx64m");

        flood(server, 200, HEAD + "Content-Length: 8388608\r\n\r\n");

        assertServes(server);
    }

    @Test
    void thousandsOfIncompleteHeadersDoNotAffectOtherClients() throws Exception {
        var server = start(8192, "-Xmx96m", "--header-timeout=2s");

        flood(server, 3000, HEAD);

        assertServes(server);
    }

    @Test
    void badRequestsLeaveNoStackTraces() throws Exception {
        var server = start(1024, "-Xmx128m");
        for (var text : List.of("x\r\n{}", "2;a=b\r\n{}\r\n0\r\n\r\n", "2\r\n{}XX0\r\n\r\n", "0\r\nA: b\r\n\r\n")) {
            assertThat(server.api()
                            .send(HEAD + "Transfer-Encoding: chunked\r\n\r\n", text.getBytes(StandardCharsets.US_ASCII))
                            .status())
                    .isEqualTo(400);
        }

        assertServes(server);
    }

    @Test
    void exitsWithinTheDrainTimeoutWhileGuestsRunForever() throws Exception {
        var server = start(1024, "-Xmx128m", "--disable-timeout-protection", "--drain-timeout=1s", "--workers=1");
        var body = Reviews.allowed();
        flood(
                server,
                3,
                "POST /validate/loop HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body);
        await().atMost(TIMEOUT)
                .until(() -> server.probes().get("/metrics").body().contains("kubewarden_evaluations_running 1"));

        server.process().destroy();

        assertThat(server.process().waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(server.process().exitValue()).isZero();
        assertThat(server.log()).content().contains("requests cut off by the drain limit");
    }
}
