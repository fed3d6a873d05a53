package io.portcullis.process.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.process.tls.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the client against real HTTP servers. The controller's tests cover API servers. */
@SuppressWarnings("NullAway.Init") // set before each test
class BlockingHttpClientTest {

    private static final Path MADE = Path.of("src/test/resources/tls");

    private final List<Integer> callers = Collections.synchronizedList(new ArrayList<>());
    private final HttpClient client = builder().build();
    private HttpServer server;

    private static HttpClient.Builder builder() {
        return new BlockingHttpFactory().newBuilder();
    }

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(loopback(), 0);
        serve(server);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private void serve(HttpServer any) {
        any.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange);
            }
        });
        any.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        any.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        callers.add(exchange.getRemoteAddress().getPort());
        var body = (exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                        + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                        + exchange.getRequestHeaders().getFirst("X-Name") + " "
                        + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Retry-After", "7");
        switch (exchange.getRequestURI().getPath()) {
            case "/none" -> exchange.sendResponseHeaders(404, -1);
            case "/last" -> {
                exchange.getResponseHeaders().add("Connection", "close");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
            default -> {
                exchange.sendResponseHeaders(200, 0); // in chunks
                exchange.getResponseBody().write(body);
            }
        }
    }

    @AfterEach
    void end() {
        client.close();
        server.stop(0);
    }

    private String uri(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private static <T> HttpResponse<T> get(HttpClient client, String uri, Class<T> type) throws Exception {
        return client.sendAsync(client.newHttpRequestBuilder().uri(uri).build(), type)
                .get(1, TimeUnit.MINUTES);
    }

    @Test
    void sendsRequestsAndReturnsResponses() throws Exception {
        var request = client.newHttpRequestBuilder()
                .uri(uri("/a?b=c"))
                .method("PATCH", "application/apply-patch+yaml", "ä")
                .header("X-Name", "value")
                .build();

        var answer = client.sendAsync(request, String.class).get(1, TimeUnit.MINUTES);

        assertThat(answer.code()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("PATCH /a?b=c application/apply-patch+yaml value ä");
        assertThat(answer.header("Retry-After")).isEqualTo("7");
    }

    @Test
    void readsResponsesWithoutABody() throws Exception {
        var answer = get(client, uri("/none"), byte[].class);

        assertThat(answer.code()).isEqualTo(404);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void readsBodiesAsStreams() throws Exception {
        try (var body = get(client, uri("/a"), InputStream.class).body()) {
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).startsWith("GET /a");
        }
    }

    @Test
    void reusesConnectionsAlsoInDerivedClients() throws Exception {
        get(client, uri("/a"), String.class);
        get(client.newBuilder().build(), uri("/b"), String.class);
        get(client, uri("/last"), String.class);
        get(client, uri("/c"), String.class);

        assertThat(callers.subList(0, 3)).containsOnly(callers.getFirst());
        assertThat(callers.get(3)).isNotEqualTo(callers.getFirst());
    }

    @Test
    void replacesAConnectionThatTheServerClosed() throws Exception {
        get(client, uri("/a"), String.class);
        int port = server.getAddress().getPort();
        server.stop(0);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        serve(server);

        assertThat(get(client, uri("/b"), String.class).code()).isEqualTo(200);
    }

    /** For example a token that contains a line end. */
    @Test
    void reportsUnsendableRequestsLikeFailedOnes() {
        var request = client.newHttpRequestBuilder()
                .uri(uri("/a"))
                .header("Authorization", "Bearer a\nb")
                .build();

        assertThatThrownBy(() -> once().sendAsync(request, String.class).get(1, TimeUnit.MINUTES))
                .hasCauseInstanceOf(ProtocolException.class)
                .hasMessageContaining("a header of the request is not printable");
        assertThat(callers).isEmpty();
    }

    /** Failed requests are not retried here. */
    private HttpClient once() {
        return client.newBuilder()
                .tag(new RequestConfigBuilder().withRequestRetryBackoffLimit(0).build())
                .build();
    }

    /** A server that sends single bytes must not extend the timeout. */
    @Test
    void abortsRequestsAfterTheirTimeout() throws Exception {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var ended = new CompletableFuture<Void>();
            Thread.ofVirtual().start(() -> trickle(listener, ended));
            var request = client.newHttpRequestBuilder()
                    .uri("http://127.0.0.1:" + listener.getLocalPort())
                    .timeout(300, TimeUnit.MILLISECONDS)
                    .build();

            assertThatThrownBy(() -> once().sendAsync(request, String.class).get(1, TimeUnit.MINUTES))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(SocketTimeoutException.class);
            ended.get(1, TimeUnit.MINUTES);
        }
    }

    private static void trickle(ServerSocket listener, CompletableFuture<Void> ended) {
        try (var socket = listener.accept()) {
            socket.getOutputStream().write("HTTP/1.1 200 OK\r\nA: ".getBytes(StandardCharsets.US_ASCII));
            while (true) {
                socket.getOutputStream().write('b');
                Thread.sleep(Duration.ofMillis(20));
            }
        } catch (IOException _) {
            ended.complete(null); // the client has disconnected
        } catch (InterruptedException e) {
            ended.completeExceptionally(e);
        }
    }

    @Test
    void verifiesTheNamesOfServers() throws Exception {
        var secure = HttpsServer.create(loopback(), 0);
        var trust = trust(MADE.resolve("root.crt"));
        var uri = "https://127.0.0.1:" + secure.getAddress().getPort() + "/a";
        try (var tls = ServerTls.start(new TlsFiles(MADE.resolve("first.crt"), MADE.resolve("first.key"), List.of()));
                var trusting = builder().sslContext(new KeyManager[0], trust).build();
                var misled = builder()
                        .sslContext(new KeyManager[0], trust)
                        .tlsServerName("another.name")
                        .build()) {
            secure.setHttpsConfigurator(new HttpsConfigurator(tls.context()));
            serve(secure);
            assertThat(get(trusting, uri, String.class).code()).isEqualTo(200);
            assertThatThrownBy(() -> get(misled, uri, String.class))
                    .hasCauseInstanceOf(SSLHandshakeException.class)
                    .hasMessageContaining("another.name");
        } finally {
            secure.stop(0);
        }
    }

    private static TrustManager[] trust(Path authority) throws Exception {
        var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (var pem = Files.newInputStream(authority)) {
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory.getTrustManagers();
    }

    @Test
    void sendsRequestsThroughAProxy() throws Exception {
        try (var proxied = builder()
                .proxyType(HttpClient.ProxyType.HTTP)
                .proxyAddress(server.getAddress())
                .build()) {
            assertThat(get(proxied, "http://api.invalid/a", String.class).body())
                    .startsWith("GET http://api.invalid/a");
        }
    }

    @Test
    void closesConnectionsWithTheClient() throws Exception {
        get(client, uri("/a"), String.class);
        client.close();

        assertThat(client.isClosed()).isTrue();
        assertThat(get(client, uri("/b"), String.class).code()).isEqualTo(200);
        assertThat(callers.getLast()).isNotEqualTo(callers.getFirst());
    }
}
