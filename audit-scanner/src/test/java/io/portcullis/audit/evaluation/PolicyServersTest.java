package io.portcullis.audit.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.portcullis.audit.ServiceProxy;
import io.portcullis.audit.policy.Endpoint;
import io.portcullis.process.tls.ClientTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PolicyServersTest {

    private final AtomicLong now = new AtomicLong();
    private final PolicyServers servers =
            new PolicyServers(ClientTls.load(List.of(), Optional.empty()), true, 4, now::get);

    @AfterEach
    void end() {
        servers.close();
    }

    private static HttpServer replica(AtomicInteger calls, byte[] answer) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                calls.incrementAndGet();
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        server.start();
        return server;
    }

    private PolicyServerAnswer ask(int port) throws InterruptedException {
        return servers.ask(new Endpoint(URI.create("http://127.0.0.1:" + port + "/audit/p"), "", 0), new byte[] {'{'});
    }

    @Test
    void reusesConnectionsUntilTheyExpire() throws Exception {
        var one = new AtomicInteger();
        var two = new AtomicInteger();
        var allowed = "{\"response\": {\"allowed\": true}}".getBytes(StandardCharsets.UTF_8);
        var first = replica(one, allowed);
        var second = replica(two, allowed);
        try (var service = ServiceProxy.start(
                List.of(first.getAddress().getPort(), second.getAddress().getPort()))) {
            for (int i = 0; i < 5; i++) {
                assertThat(ask(service.port())).isInstanceOf(PolicyServerAnswer.Evaluated.class);
            }
            assertThat(List.of(one.get(), two.get()))
                    .as("one after the other needs one connection")
                    .containsExactly(5, 0);

            now.addAndGet(PolicyServers.MAX_CONNECTION_AGE.toNanos());
            for (int i = 0; i < 5; i++) {
                assertThat(ask(service.port())).isInstanceOf(PolicyServerAnswer.Evaluated.class);
            }
            assertThat(List.of(one.get(), two.get())).containsExactly(5, 5);
        } finally {
            first.stop(0);
            second.stop(0);
        }
    }

    @Test
    void treatsARefusedConnectionAsTransient() throws Exception {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }

        assertThat(ask(port))
                .isInstanceOfSatisfying(
                        PolicyServerAnswer.Transient.class,
                        answer -> assertThat(answer.reason()).contains("cannot be reached"));
    }

    @Test
    void treatsAConnectionClosedWithoutResponseAsTransient() throws Exception {
        try (var socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                while (!socket.isClosed()) {
                    try (var _ = socket.accept()) {
                        // Close immediately.
                    } catch (IOException e) {
                        return;
                    }
                }
            });

            assertThat(ask(socket.getLocalPort())).isInstanceOf(PolicyServerAnswer.Transient.class);
        }
    }

    @Test
    void abortsAnOversizedResponse() throws Exception {
        var huge = new byte[9 << 20];
        Arrays.fill(huge, (byte) ' ');
        var server = replica(new AtomicInteger(), huge);
        try {
            assertThat(ask(server.getAddress().getPort())).isNotInstanceOf(PolicyServerAnswer.Evaluated.class);
        } finally {
            server.stop(0);
        }
    }

    /** Simulates a server that closes idle connections. */
    @Test
    void replacesAConnectionThatTheServerClosed() throws Exception {
        try (var socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                while (!socket.isClosed()) {
                    try (var connection = socket.accept()) {
                        connection.getInputStream().read(new byte[8192]);
                        connection
                                .getOutputStream()
                                .write(("HTTP/1.1 200 OK\r\nContent-Length: 31\r\n\r\n"
                                                + "{\"response\": {\"allowed\": true}}")
                                        .getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                        return;
                    }
                }
            });

            for (int i = 0; i < 3; i++) {
                assertThat(ask(socket.getLocalPort())).isInstanceOf(PolicyServerAnswer.Evaluated.class);
            }
        }
    }

    @Test
    void timesOutOnAServerThatNeitherReadsNorResponds() throws Exception {
        try (var socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var withShortTimeout = new PolicyServers(
                        ClientTls.load(List.of(), Optional.empty()), true, 4, now::get, Duration.ofSeconds(1))) {
            var endpoint = new Endpoint(URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/audit/p"), "", 0);

            for (var size : List.of(10, 32 << 20)) {
                assertThat(withShortTimeout.ask(endpoint, new byte[size]))
                        .isEqualTo(new PolicyServerAnswer.Transient("the policy server did not answer within 1 s"));
            }
        }
    }

    @Test
    void rejectsAnAddressWithoutAHost() throws Exception {
        assertThat(servers.ask(new Endpoint(URI.create("https://my_server/audit/p"), "", 0), new byte[0]))
                .isEqualTo(new PolicyServerAnswer.Permanent("the address of the server names no host"));
    }
}
