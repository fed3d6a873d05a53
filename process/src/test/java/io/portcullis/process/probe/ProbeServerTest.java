package io.portcullis.process.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.process.http.ListenerLimits;
import io.portcullis.process.metrics.Metrics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ProbeServerTest {

    private static HttpResponse<String> send(ProbeServer server, String method, String path) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var uri = URI.create("http://127.0.0.1:" + server.port() + path);
            return client.send(
                    HttpRequest.newBuilder(uri)
                            .method(method, BodyPublishers.noBody())
                            .build(),
                    BodyHandlers.ofString());
        }
    }

    @Test
    void answersKubeletAndPrometheus() throws Exception {
        var ready = new AtomicBoolean();
        var alive = new AtomicBoolean(true);
        var metrics = new Metrics();
        metrics.gauge("loaded", "Loaded.", () -> 1);
        try (var server = ProbeServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ready::get, alive::get, metrics)) {
            assertThat(send(server, "GET", "/readiness").statusCode()).isEqualTo(503);
            ready.set(true);
            assertThat(send(server, "GET", "/readiness").statusCode()).isEqualTo(200);
            assertThat(send(server, "GET", "/readiness").body()).isEmpty();
            assertThat(send(server, "GET", "/liveness").statusCode()).isEqualTo(200);
            assertThat(send(server, "GET", "/livez").statusCode()).isEqualTo(200);
            assertThat(send(server, "GET", "/metrics").body()).contains("loaded 1");
            assertThat(send(server, "GET", "/readiness/x").statusCode()).isEqualTo(404);
            assertThat(send(server, "GET", "/").statusCode()).isEqualTo(404);
            assertThat(send(server, "POST", "/readiness").statusCode()).isEqualTo(405);
            alive.set(false);
            assertThat(send(server, "GET", "/liveness").statusCode()).isEqualTo(503);
            assertThat(send(server, "GET", "/livez").statusCode()).isEqualTo(503);
        }
    }

    @Test
    void answersProbesWhileManyClientsLeaveTheirRequestsUnfinished() throws Exception {
        var threads = Thread.activeCount();
        var halfOpen = new ArrayList<Socket>();
        try (var server = ProbeServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), () -> true, () -> true, new Metrics())) {
            for (var i = 0; i < 300; i++) {
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                socket.getOutputStream().write("GET /read".getBytes(StandardCharsets.US_ASCII));
                halfOpen.add(socket);
            }

            // The server may cut a connection to make room. The kubelet retries too.
            await().ignoreExceptionsInstanceOf(IOException.class)
                    .untilAsserted(
                            () -> assertThat(send(server, "GET", "/readiness").statusCode())
                                    .isEqualTo(200));
            assertThat(Thread.activeCount() - threads).isLessThan(2 * ListenerLimits.PROBES.maxConnections() + 50);
        } finally {
            for (var socket : halfOpen) {
                socket.close();
            }
        }
    }

    @Test
    void doesNotServeHttp10() throws Exception {
        try (var server = ProbeServer.start(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        () -> true,
                        () -> true,
                        new Metrics());
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write("GET /readiness HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 505");
        }
    }
}
