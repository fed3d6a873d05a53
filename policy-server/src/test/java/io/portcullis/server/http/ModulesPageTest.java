package io.portcullis.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.artifacts.source.Digest;
import io.portcullis.process.http.HttpAnswer;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import io.portcullis.process.http.ListenerLimits;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.process.tls.TlsFiles;
import io.portcullis.server.cluster.peers.PeerCredentials;
import io.portcullis.server.cluster.peers.PeerModules;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.evaluation.pool.PoolLimits;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.testkit.certificate.ServingCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests modules from a real API port. */
class ModulesPageTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String NAME = "policy-server-s.kubewarden.svc";

    @TempDir
    Path directory;

    private final Metrics metrics = new Metrics();
    private final AtomicInteger opened = new AtomicInteger();
    private Evaluations evaluations;
    private byte[] module;
    private String digest;

    @BeforeEach
    void start() throws IOException {
        module = new byte[3 << 20];
        new Random(7).nextBytes(module);
        digest = Digest.sha256(module);
        Files.write(directory.resolve("original.wasm"), module);
        Files.writeString(directory.resolve("token"), "secret-token\n");
        evaluations = new Evaluations(
                new EvaluationEnvironment(EvaluationEnvironment.GenerationWait.NONE),
                new PoolLimits(1, 1, 1, Duration.ofSeconds(1)),
                metrics,
                Tracing.OFF,
                "host",
                Optional.empty());
    }

    @AfterEach
    void stop() {
        evaluations.close();
    }

    private Optional<FileChannel> open(String wanted) throws IOException {
        opened.incrementAndGet();
        return wanted.equals(digest)
                ? Optional.of(FileChannel.open(directory.resolve("original.wasm")))
                : Optional.empty();
    }

    private ApiServer server(Optional<ServerTls> tls, ModulesPage page) {
        return new ApiServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                tls,
                Duration.ZERO,
                evaluations,
                List::of,
                Optional.empty(),
                Optional.of(page),
                new ApiLimits(ListenerLimits.DEFAULT, 1 << 20, 1 << 20),
                false,
                metrics);
    }

    private ModulesPage page() {
        return new ModulesPage(new BearerToken(directory.resolve("token")), this::open, metrics);
    }

    private static HttpAnswer ask(ApiServer server, String method, String path, String token) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
        try (var connection = HttpConnection.open(address, Optional.empty(), LIMIT)) {
            return connection.exchange(
                    new HttpMessage(
                            method,
                            URI.create("http://" + NAME + path),
                            Map.of("Authorization", List.of("Bearer " + token)),
                            new byte[0]),
                    8 << 20,
                    LIMIT);
        }
    }

    private String path() {
        return PeerModules.PATH + digest.substring("sha256:".length());
    }

    /** Both ends of the transfer as they run in two replicas. */
    @Test
    void sendsAModuleToAnotherReplica() throws IOException {
        var certificate = ServingCertificate.forNames(NAME);
        Files.writeString(directory.resolve("tls.crt"), certificate.certificatePem());
        Files.writeString(directory.resolve("tls.key"), certificate.privateKeyPem());
        Files.writeString(directory.resolve("ca.crt"), certificate.certificatePem());
        // The server requires client certificates, as with a client CA in the cluster.
        var files = new TlsFiles(
                directory.resolve("tls.crt"), directory.resolve("tls.key"), List.of(directory.resolve("ca.crt")));
        try (var tls = ServerTls.start(files);
                var server = server(Optional.of(tls), page())) {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
            var peers = new PeerModules(
                    () -> List.of(address),
                    new PeerCredentials(files, directory, directory.resolve("token")),
                    NAME,
                    directory.resolve("downloads"),
                    8 << 20,
                    new Random(1),
                    metrics);

            assertThat(peers.fetch(digest))
                    .hasValueSatisfying(fetched -> assertThat(fetched).isEqualTo(module));
            assertThat(peers.fetch(Digest.sha256(new byte[1]))).isEmpty();
        }
        assertThat(PrometheusText.render(metrics))
                .contains(
                        "kubewarden_modules_sent_total{result=\"sent\"} 1",
                        "kubewarden_modules_sent_total{result=\"absent\"} 1");
    }

    @Test
    void refusesRequestsWithoutTheToken() throws IOException {
        try (var server = server(Optional.empty(), page())) {
            assertThat(ask(server, "GET", path(), "wrong").status()).isEqualTo(401);
            assertThat(ask(server, "GET", path(), "").status()).isEqualTo(401);
            Files.delete(directory.resolve("token"));
            assertThat(ask(server, "GET", path(), "secret-token").status()).isEqualTo(401);
        }
        assertThat(opened).hasValue(0);
    }

    @Test
    void answersOnlyGetAndOnlyDigests() throws IOException {
        try (var server = server(Optional.empty(), page())) {
            for (var path : List.of(
                    "/modules/",
                    "/modules/../tls.key",
                    "/modules/..%2ftls.key",
                    path() + "/original.wasm",
                    path().toUpperCase(java.util.Locale.ROOT))) {
                assertThat(ask(server, "GET", path, "secret-token").status())
                        .as(path)
                        .isEqualTo(404);
            }
            assertThat(ask(server, "POST", path(), "secret-token").status()).isEqualTo(405);
        }
        assertThat(opened).hasValue(0);
    }

    @Test
    void limitsConcurrentTransfers() throws Exception {
        var isOpen = new CountDownLatch(1);
        var mayGoOn = new CountDownLatch(1);
        var page = new ModulesPage(
                new BearerToken(directory.resolve("token")),
                wanted -> {
                    isOpen.countDown();
                    try {
                        mayGoOn.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return open(wanted);
                },
                1,
                0,
                Duration.ZERO,
                metrics);
        try (var server = server(Optional.empty(), page)) {
            var first = CompletableFuture.supplyAsync(() -> {
                try {
                    return ask(server, "GET", path(), "secret-token");
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            isOpen.await();

            var second = ask(server, "GET", path(), "secret-token");
            mayGoOn.countDown();

            assertThat(second.status()).isEqualTo(503);
            assertThat(first.get().status()).isEqualTo(200);
            assertThat(first.get().body()).isEqualTo(module);
            assertThat(ask(server, "GET", path(), "secret-token").status()).isEqualTo(200);
        }
        assertThat(PrometheusText.render(metrics)).contains("kubewarden_modules_sent_total{result=\"busy\"} 1");
    }
}
