package io.portcullis.process.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.helidon.webserver.http.Handler;
import io.portcullis.process.http.Listener;
import io.portcullis.process.http.ListenerLimits;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.tls.SwappableTls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SelfCheckTest {

    private static final Path TLS = Path.of("src/test/resources/tls");
    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);

    private static Listener listener(Optional<Listener.Security> security, ListenerLimits limits, Handler handler) {
        return new Listener(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                security,
                limits,
                Duration.ZERO,
                handler,
                new Metrics());
    }

    @Test
    void isReadyWhenTheFixedRequestIsAnswered() {
        try (var listener = listener(Optional.empty(), ListenerLimits.DEFAULT, (_, response) -> response.send("ok"));
                var check = SelfCheck.of(listener, "/review", BODY)) {
            assertThat(check.isReady()).isTrue();
            assertThat(check.isAlive()).isTrue();
        }
    }

    @Test
    void isNotReadyWhenOnlyTheListenerAnswers() {
        var status = new AtomicInteger(503);
        try (var listener = listener(
                        Optional.empty(),
                        ListenerLimits.DEFAULT,
                        (_, response) -> response.status(status.get()).send());
                var check = SelfCheck.of(listener, "/review", BODY)) {
            assertThat(check.isReady()).isFalse();
            assertThat(check.isAlive()).isTrue();

            status.set(200);
            await().until(check::isReady);
        }
    }

    @Test
    void needsNoClientCertificateForTheSelfCheck() throws Exception {
        var tls = new SwappableTls(true);
        tls.show("test", Files.readString(TLS.resolve("first.crt")), Files.readString(TLS.resolve("first.key")));
        try (var listener = listener(
                        Optional.of(new Listener.Security(tls.context(), true)),
                        ListenerLimits.DEFAULT,
                        (request, response) -> response.status(Listener.isSelfCheck(request) ? 200 : 500)
                                .send());
                var check = SelfCheck.of(listener, "/review", BODY)) {
            assertThat(check.isReady()).isTrue();
        }
    }

    @Test
    void isNotReadyWithoutACertificate() {
        var tls = new SwappableTls(false);
        try (var listener = listener(
                        Optional.of(new Listener.Security(tls.context(), false)),
                        ListenerLimits.DEFAULT,
                        (_, response) -> response.send());
                var check = SelfCheck.of(listener)) {
            assertThat(check.isReady()).isFalse();
        }
    }

    @Test
    void isAdmittedWhenTheConnectionLimitIsReached() throws Exception {
        var sockets = new ArrayList<Socket>();
        try (var listener = listener(
                Optional.empty(), ListenerLimits.DEFAULT.withMaxConnections(2), (_, response) -> response.send())) {
            for (var i = 0; i < 100; i++) {
                sockets.add(new Socket(InetAddress.getLoopbackAddress(), listener.port()));
            }
            try (var check = SelfCheck.of(listener)) {
                assertThat(check.isReady()).isTrue();
            }
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void hidesTheSelfCheckPathFromOtherClients() throws Exception {
        try (var listener = listener(
                        Optional.empty(),
                        ListenerLimits.DEFAULT,
                        (_, response) -> response.status(404).send());
                var socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.getOutputStream()
                    .write(("GET " + Listener.SELF_CHECK + " HTTP/1.1\r\nHost: x\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 404");
        }
    }

    @Test
    void isNotAliveWhenTheListenerIsClosed() {
        var listener = listener(Optional.empty(), ListenerLimits.DEFAULT, (_, response) -> response.send());
        try (var check = SelfCheck.of(listener)) {
            assertThat(check.isAlive()).isTrue();
            listener.close();
            await().atMost(Duration.ofMinutes(1)).until(() -> !check.isAlive());
            await().atMost(Duration.ofMinutes(1)).until(() -> !check.isReady());
        }
    }
}
