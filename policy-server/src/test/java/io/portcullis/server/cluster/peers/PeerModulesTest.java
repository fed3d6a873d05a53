package io.portcullis.server.cluster.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.process.tls.TlsFiles;
import io.portcullis.testkit.certificate.ServingCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fetches modules from TLS servers that behave well or badly. */
class PeerModulesTest {

    private static final byte[] WASM = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final String DIGEST = Digest.sha256(WASM);
    private static final String NAME = "policy-server-s.kubewarden.svc";
    private static final Duration LONG = Duration.ofMinutes(1);

    private static ServingCertificate certificate;

    @TempDir
    Path directory;

    private final Metrics metrics = new Metrics();
    private final List<HttpsServer> servers = new ArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void createCertificate() {
        certificate = ServingCertificate.forNames(NAME);
    }

    @BeforeEach
    void writeFiles() throws IOException {
        Files.writeString(directory.resolve("tls.crt"), certificate.certificatePem());
        Files.writeString(directory.resolve("tls.key"), certificate.privateKeyPem());
        Files.writeString(directory.resolve("ca.crt"), certificate.certificatePem());
        Files.writeString(directory.resolve("token"), "secret-token\n");
    }

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    private InetSocketAddress server(ServingCertificate served, HttpHandler handler) throws IOException {
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(served.sslContext()));
        server.createContext("/", exchange -> {
            try (exchange) {
                requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                        + exchange.getRequestHeaders().getFirst("Authorization"));
                handler.handle(exchange);
            }
        });
        server.start();
        servers.add(server);
        return server.getAddress();
    }

    private InetSocketAddress sending(byte[] body) throws IOException {
        return server(certificate, exchange -> send(exchange, body));
    }

    private InetSocketAddress answering(int status) throws IOException {
        return server(certificate, exchange -> exchange.sendResponseHeaders(status, -1));
    }

    private static void send(HttpExchange exchange, byte[] body) throws IOException {
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    /** Asks the peers in this order: the random number generator of the test never swaps two of them. */
    private PeerModules peers(Duration timeout, InetSocketAddress... addresses) {
        return new PeerModules(
                () -> List.of(addresses),
                new PeerCredentials(
                        new TlsFiles(directory.resolve("tls.crt"), directory.resolve("tls.key"), List.of()),
                        directory,
                        directory.resolve("token")),
                NAME,
                directory.resolve("downloads"),
                1024,
                timeout,
                new KeepOrder(),
                metrics);
    }

    /** Makes {@code Collections.shuffle} swap every element with itself. */
    private static final class KeepOrder extends Random {

        private static final long serialVersionUID = 1;

        @Override
        public int nextInt(int bound) {
            return bound - 1;
        }
    }

    private String metrics() {
        return PrometheusText.render(metrics);
    }

    @Test
    void fetchesAModuleOverTlsWithTheToken() throws IOException {
        var fetched = peers(LONG, sending(WASM)).fetch(DIGEST);

        assertThat(fetched).hasValueSatisfying(wasm -> assertThat(wasm).isEqualTo(WASM));
        assertThat(requests)
                .containsExactly("GET /modules/" + DIGEST.substring("sha256:".length()) + " Bearer secret-token");
        assertThat(metrics()).contains("kubewarden_peer_module_requests_total{result=\"fetched\"} 1");
        try (var left = Files.list(directory.resolve("downloads"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void dropsAModuleWithAnotherDigestAndAsksTheNextReplica() throws IOException {
        var forged = sending(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 1});

        assertThat(peers(LONG, forged, sending(WASM)).fetch(DIGEST)).isPresent();
        assertThat(metrics()).contains("kubewarden_peer_module_requests_total{result=\"digest-mismatch\"} 1");
    }

    @Test
    void asksTheNextReplicaWhenOneHasNoModuleOrIsBusy() throws IOException {
        assertThat(peers(LONG, answering(404), answering(503), sending(WASM)).fetch(DIGEST))
                .isPresent();
        assertThat(metrics())
                .contains(
                        "kubewarden_peer_module_requests_total{result=\"absent\"} 1",
                        "kubewarden_peer_module_requests_total{result=\"busy\"} 1");
    }

    @Test
    void asksAtMostThreeReplicas() throws IOException {
        assertThat(peers(LONG, answering(404), answering(404), answering(404), sending(WASM))
                        .fetch(DIGEST))
                .isEmpty();
        assertThat(requests).hasSize(3);
    }

    @Test
    void sendsNoTokenToAServerWithAnotherCertificate() throws IOException {
        var stranger = server(ServingCertificate.forNames(NAME), exchange -> send(exchange, WASM));

        assertThat(peers(LONG, stranger).fetch(DIGEST)).isEmpty();
        assertThat(requests).isEmpty();
    }

    @Test
    void sendsNoTokenToAnotherServerOfTheSameAuthority() throws IOException {
        var other = ServingCertificate.forNames("policy-server-other.kubewarden.svc");
        Files.writeString(directory.resolve("ca.crt"), other.certificatePem());

        assertThat(peers(LONG, server(other, exchange -> send(exchange, WASM))).fetch(DIGEST))
                .isEmpty();
        assertThat(requests).isEmpty();
    }

    @Test
    void trustsTheCertificateThatAllReplicasShareAlsoFromAnotherAuthority() throws IOException {
        Files.writeString(
                directory.resolve("ca.crt"),
                ServingCertificate.forNames("internal").certificatePem());

        assertThat(peers(LONG, sending(WASM)).fetch(DIGEST)).isPresent();
    }

    @Test
    void refusesAModuleThatIsTooLarge() throws IOException {
        var large = new byte[1025];

        assertThat(peers(LONG, sending(large)).fetch(Digest.sha256(large))).isEmpty();
        assertThat(metrics()).contains("kubewarden_peer_module_requests_total{result=\"failed\"} 1");
    }

    @Test
    void refusesAnAnswerThatIsCutOff() throws IOException {
        var cut = server(certificate, exchange -> {
            exchange.sendResponseHeaders(200, WASM.length + 1);
            exchange.getResponseBody().write(WASM);
            exchange.getResponseBody().flush();
        });

        assertThat(peers(LONG, cut).fetch(DIGEST)).isEmpty();
    }

    /** The kernel accepts the connection, and no process answers. Without the limit, the test does not end. */
    @Test
    void givesUpWhenAReplicaDoesNotAnswerInTime() throws IOException {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var address = new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());

            assertThat(peers(Duration.ofMillis(200), address).fetch(DIGEST)).isEmpty();
        }
    }

    @Test
    void asksNoReplicaWithoutAUsableToken() throws IOException {
        Files.writeString(directory.resolve("token"), "two\nlines");

        assertThat(peers(LONG, sending(WASM)).fetch(DIGEST)).isEmpty();
        assertThat(requests).isEmpty();
    }
}
