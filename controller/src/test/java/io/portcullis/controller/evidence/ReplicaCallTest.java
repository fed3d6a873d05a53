package io.portcullis.controller.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import io.portcullis.controller.evidence.ReplicaProber.Question;
import io.portcullis.testkit.certificate.ServingCertificate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the calls to replicas against a real TLS server. */
class ReplicaCallTest {

    private static final String NAME = "policy-server-x.kubewarden.svc";
    private static final ServingCertificate CERTIFICATE = ServingCertificate.forNames(NAME);
    private static final Evidence ANSWER = new Evidence("pod", 0, List.of());

    private static final ServerReport REPORT = new ServerReport(0, 1, List.of(), List.of());

    private static final Question EVERYTHING = new Question.Everything(Optional.empty());

    private static HttpsServer server;
    private static volatile @Nullable String lastQuery;
    private static volatile int lastCallerPort;
    private final ReplicaCall call = new ReplicaCall(() -> new KeyManager[0]);

    @BeforeAll
    static void listen() throws IOException {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(CERTIFICATE.sslContext()));
        server.createContext(Evidence.PATH, exchange -> {
            try (exchange) {
                var token = exchange.getRequestHeaders().getFirst("Authorization");
                var body = "Bearer large".equals(token) ? new byte[17 * 1024 * 1024] : ANSWER.write();
                lastQuery = exchange.getRequestURI().getRawQuery();
                lastCallerPort = exchange.getRemoteAddress().getPort();
                if (!List.of("Bearer good", "Bearer chunked", "Bearer large").contains(token)) {
                    exchange.sendResponseHeaders(401, -1);
                    return;
                }
                if (("\"" + ANSWER.digest() + "\"")
                                .equals(exchange.getRequestHeaders().getFirst("If-None-Match"))
                        || "policy=modified-or-not".equals(lastQuery)) {
                    exchange.sendResponseHeaders(304, -1);
                    return;
                }
                exchange.sendResponseHeaders(200, "Bearer chunked".equals(token) ? 0 : body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.createContext(ServerReport.PATH, exchange -> {
            try (exchange) {
                var isAllowed =
                        "Bearer good".equals(exchange.getRequestHeaders().getFirst("Authorization"));
                exchange.sendResponseHeaders(isAllowed ? 200 : 401, isAllowed ? REPORT.write().length : -1);
                if (isAllowed) {
                    exchange.getResponseBody().write(REPORT.write());
                }
            }
        });
        server.start();
    }

    @Test
    void readsTheReportOfAReplica() throws IOException {
        assertThat(call.report(server.getAddress(), NAME, bundle(CERTIFICATE), "good"))
                .isEqualTo(REPORT);
        assertThatThrownBy(() -> call.report(server.getAddress(), NAME, bundle(CERTIFICATE), "bad"))
                .hasMessageContaining("401");
        assertThatThrownBy(() -> call.report(server.getAddress(), NAME, bundle(CERTIFICATE), "a b"))
                .hasMessageContaining("token");
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    private Evidence ask(String name, ServingCertificate trusted, String token) throws IOException {
        var bundle = bundle(trusted);
        return call.ask(server.getAddress(), name, bundle, token, EVERYTHING).orElseThrow();
    }

    private static Question about(String policyId) {
        return new Question.Policies(Set.of(policyId));
    }

    private static String bundle(ServingCertificate trusted) {
        return Base64.getEncoder().encodeToString(trusted.certificatePem().getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void sendsTheNamesOfSinglePolicies() throws IOException {
        ask(NAME, CERTIFICATE, "good");
        assertThat(lastQuery).isNull();

        call.ask(server.getAddress(), NAME, bundle(CERTIFICATE), "good", about("kw.cap.a&policy=b"));
        assertThat(lastQuery).isEqualTo("policy=kw.cap.a%26policy%3Db");
    }

    @Test
    void returnsNothingWhenTheDigestIsUnchanged() throws IOException {
        assertThat(askWithKnownDigest(ANSWER.digest())).isEmpty();
        assertThat(askWithKnownDigest(new Evidence("another pod", 0, List.of()).digest()))
                .contains(ANSWER);
    }

    private Optional<Evidence> askWithKnownDigest(String digest) throws IOException {
        return call.ask(
                server.getAddress(), NAME, bundle(CERTIFICATE), "good", new Question.Everything(Optional.of(digest)));
    }

    @Test
    void rejectsStatus304ForSinglePolicies() {
        assertThatThrownBy(() -> askAbout("modified-or-not")).hasMessage("answered with status 304");
    }

    @Test
    void onlyQuestionsAboutSinglePoliciesReuseAConnection() throws IOException {
        ask(NAME, CERTIFICATE, "good");
        int first = lastCallerPort;
        askAbout("a");
        assertThat(lastCallerPort).isEqualTo(first);
        askAbout("b");
        assertThat(lastCallerPort).isEqualTo(first);

        ask(NAME, CERTIFICATE, "good");
        int second = lastCallerPort;
        assertThat(second).isNotEqualTo(first);
        askAbout("a");
        assertThat(lastCallerPort).isEqualTo(second);
    }

    @Test
    void replacesABrokenReusedConnection() throws IOException {
        try (var closing = CERTIFICATE
                .sslContext()
                .getServerSocketFactory()
                .createServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerAndClose(closing));
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), closing.getLocalPort());

            assertThat(call.ask(address, NAME, bundle(CERTIFICATE), "good", EVERYTHING))
                    .contains(ANSWER);
            assertThat(call.ask(address, NAME, bundle(CERTIFICATE), "good", about("a")))
                    .contains(ANSWER);
        }
    }

    @Test
    void doesNotRetryAfterATimeout() throws IOException {
        try (var silent = CERTIFICATE
                .sslContext()
                .getServerSocketFactory()
                .createServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerOnce(silent));
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), silent.getLocalPort());
            call.ask(address, NAME, bundle(CERTIFICATE), "good", EVERYTHING);

            assertThatThrownBy(() -> call.ask(address, NAME, bundle(CERTIFICATE), "good", about("a")))
                    .isInstanceOf(SocketTimeoutException.class);

            silent.setSoTimeout(1);
            assertThatThrownBy(silent::accept).as("another connection").isInstanceOf(SocketTimeoutException.class);
        }
    }

    /** Answers one request and keeps the connection open. */
    private static void answerOnce(ServerSocket silent) {
        try {
            answer(silent.accept());
        } catch (IOException _) {
            // The assertions of the test report this failure.
        }
    }

    /** Answers each request and closes the connection without announcing it. */
    private static void answerAndClose(ServerSocket closing) {
        try {
            while (true) {
                try (var socket = closing.accept()) {
                    answer(socket);
                }
            }
        } catch (IOException _) {
            // The test has ended.
        }
    }

    private static void answer(Socket socket) throws IOException {
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            assertThat(line).doesNotContainIgnoringCase("connection: close");
        }
        var body = ANSWER.write();
        socket.getOutputStream()
                .write(("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(body);
    }

    private void askAbout(String policyId) throws IOException {
        assertThat(call.ask(server.getAddress(), NAME, bundle(CERTIFICATE), "good", about(policyId)))
                .contains(ANSWER);
    }

    @Test
    void verifiesTheServiceNameOfTheReplica() throws IOException {
        assertThat(ask(NAME, CERTIFICATE, "good")).isEqualTo(ANSWER);
        assertThat(ask(NAME, CERTIFICATE, "chunked")).isEqualTo(ANSWER);
    }

    @Test
    void rejectsAnotherNameOrAuthority() {
        assertThatThrownBy(() -> ask("policy-server-y.kubewarden.svc", CERTIFICATE, "good"))
                .isInstanceOf(SSLHandshakeException.class);
        assertThatThrownBy(() -> ask(NAME, ServingCertificate.forNames(NAME), "good"))
                .isInstanceOf(SSLHandshakeException.class);
        assertThatThrownBy(() -> call.ask(server.getAddress(), NAME, "no base64!", "good", EVERYTHING))
                .hasMessageContaining("certificates cannot be used");
    }

    @Test
    void limitsTheTimeOfASlowHandshake() throws IOException {
        try (var slow = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var sender = Thread.ofVirtual().start(() -> sendSlowly(slow));
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), slow.getLocalPort());

            assertThatThrownBy(() -> call.ask(address, NAME, bundle(CERTIFICATE), "good", EVERYTHING))
                    .hasMessage("the handshake takes too long");

            sender.interrupt();
        }
    }

    /** Sends the start of a handshake message that is too long to end. */
    private static void sendSlowly(ServerSocket slow) {
        try (var socket = slow.accept()) {
            socket.getOutputStream().write(new byte[] {22, 3, 3, 64, 0, 2, 0, 63, (byte) 252});
            while (true) {
                socket.getOutputStream().write(3);
                Thread.sleep(200);
            }
        } catch (IOException | InterruptedException _) {
            // The lastCallerPort has closed the connection.
        }
    }

    @Test
    void errorMessagesDoNotContainTheToken() {
        assertThatThrownBy(() -> ask(NAME, CERTIFICATE, "wrong")).hasMessage("answered with status 401");
        assertThatThrownBy(() -> ask(NAME, CERTIFICATE, "large")).hasMessage("the answer is larger than 16 MiB");
        assertThatThrownBy(() -> ask(NAME, CERTIFICATE, "two\r\nlines")).hasMessage("the evidence token is not usable");
    }
}
