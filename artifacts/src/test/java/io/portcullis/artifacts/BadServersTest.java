package io.portcullis.artifacts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.HttpLimits;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.Credentials;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.testing.Modules;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests faulty servers: each fault causes a typed failure and leaves no file. A real server cannot produce these
 * faults on demand.
 */
class BadServersTest {

    private static final byte[] WASM = Modules.ofSize(200_000, 3);
    private static final HttpLimits SHORT_LIMITS = new HttpLimits(
            3, Duration.ofMillis(500), Duration.ofSeconds(5), Duration.ofMillis(200), 2, Duration.ofSeconds(60));

    @TempDir
    private Path directory;

    private final List<Duration> pauses = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch done = new CountDownLatch(1);
    private HttpServer server;
    private Transport transport;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        var sources = new Sources(Set.of(host()), Map.of(), Proxies.NONE);
        transport = new Transport(sources, SHORT_LIMITS, pauses::add);
    }

    @AfterEach
    void stop() {
        done.countDown();
        transport.close();
        server.stop(0);
    }

    @ParameterizedTest
    @CsvSource({
        "401, UNAUTHORIZED, 1", "403, UNAUTHORIZED, 1", "404, NOT_FOUND, 1", "410, NOT_FOUND, 1", "418, UNAVAILABLE, 1",
        "429, UNAVAILABLE, 3", "500, UNAVAILABLE, 3", "502, UNAVAILABLE, 3", "503, UNAVAILABLE, 3", "504, TIMEOUT, 3"
    })
    void mapsStatusesToReasonsAndRetriesTransientOnes(int status, Reason reason, int requests) {
        var seen = new AtomicInteger();
        serve("/p.wasm", exchange -> {
            seen.incrementAndGet();
            respond(exchange, status, "<html>no</html>".getBytes(UTF_8));
        });

        assertFails("http://" + host() + "/p.wasm", reason, Integer.toString(status));
        assertThat(seen).hasValue(requests);
    }

    @Test
    void honoursRetryAfter() {
        serve("/p.wasm", exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "7");
            respond(exchange, 429, new byte[0]);
        });

        assertFails("http://" + host() + "/p.wasm", Reason.UNAVAILABLE, "429");

        assertThat(pauses).hasSize(2).allMatch(pause -> pause.equals(Duration.ofSeconds(7)));
    }

    @Test
    void recoversWhenTheServerDoes() {
        var seen = new AtomicInteger();
        serve("/p.wasm", exchange -> {
            if (seen.incrementAndGet() < 3) {
                respond(exchange, 503, new byte[0]);
            } else {
                respond(exchange, 200, WASM);
            }
        });

        assertThat(fetcher(WasmModule.DEFAULT_LIMIT)
                        .fetch("http://" + host() + "/p.wasm")
                        .wasm())
                .isEqualTo(WASM);
    }

    @Test
    void resumesABrokenDownload() {
        var ranges = Collections.synchronizedList(new ArrayList<String>());
        serve("/p.wasm", exchange -> {
            var range = exchange.getRequestHeaders().getFirst("Range");
            ranges.add(String.valueOf(range));
            if (range == null) {
                exchange.sendResponseHeaders(200, WASM.length);
                exchange.getResponseBody().write(WASM, 0, 100_000);
                exchange.getResponseBody().flush();
                throw new IOException("cable cut");
            }
            int from = Integer.parseInt(range.substring("bytes=".length(), range.length() - 1));
            exchange.getResponseHeaders()
                    .add("Content-Range", "bytes " + from + "-" + (WASM.length - 1) + "/" + WASM.length);
            exchange.sendResponseHeaders(206, WASM.length - from);
            exchange.getResponseBody().write(WASM, from, WASM.length - from);
            exchange.close();
        });

        assertThat(fetcher(WasmModule.DEFAULT_LIMIT)
                        .fetch("http://" + host() + "/p.wasm")
                        .wasm())
                .isEqualTo(WASM);
        assertThat(ranges).hasSize(2).first().isEqualTo("null");
    }

    @Test
    void givesUpOnARedirectLoop() {
        serve("/p.wasm", exchange -> {
            exchange.getResponseHeaders().add("Location", "/p.wasm");
            respond(exchange, 302, new byte[0]);
        });

        assertFails("http://" + host() + "/p.wasm", Reason.UNAVAILABLE, "redirects");
    }

    @Test
    void doesNotFollowARedirectToAnotherPlainHttpHost() {
        serve("/p.wasm", exchange -> {
            exchange.getResponseHeaders().add("Location", "http://127.0.0.2:1/p.wasm?signature=secret");
            respond(exchange, 302, new byte[0]);
        });

        assertThatThrownBy(() -> fetcher(1 << 20).fetch("http://" + host() + "/p.wasm"))
                .hasMessageContaining("plain HTTP is refused")
                .hasMessageNotContaining("secret");
    }

    @Test
    void abortsABodyThatIsTooSlow() {
        serve("/p.wasm", exchange -> {
            exchange.sendResponseHeaders(200, WASM.length);
            exchange.getResponseBody().write(WASM, 0, 10);
            exchange.getResponseBody().flush();
            await();
        });

        assertFails("http://" + host() + "/p.wasm", Reason.TIMEOUT, "too slow");
    }

    @Test
    void refusesAModuleWithATooLargeDeclaredLength() {
        serve("/p.wasm", exchange -> respond(exchange, 200, WASM));

        assertThatThrownBy(() -> fetcher(1000).fetch("http://" + host() + "/p.wasm"))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
        assertNothingOnDisk();
    }

    @Test
    void refusesAModuleThatGrowsTooLarge() {
        serve("/p.wasm", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(WASM);
            exchange.close();
        });

        assertThatThrownBy(() -> fetcher(1000).fetch("http://" + host() + "/p.wasm"))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
        assertNothingOnDisk();
    }

    @Test
    void refusesContentThatIsNotWebAssembly() {
        serve("/p.wasm", exchange -> respond(exchange, 200, "<html>hello</html>".getBytes(UTF_8)));

        assertFails("http://" + host() + "/p.wasm", Reason.INVALID_ARTIFACT, "invalid wasm file");
    }

    @Test
    void refusesABlobWithAnotherDigest() {
        registry(manifest("application/vnd.wasm.content.layer.v1+wasm", 1), Modules.ofSize(200_000, 99));

        assertFails(host() + "/p:v1", Reason.DIGEST_MISMATCH, "instead of " + Digest.sha256(WASM));
    }

    @Test
    void refusesAManifestWithAnotherDigest() {
        registry(manifest("application/vnd.wasm.content.layer.v1+wasm", 1), WASM);

        assertFails(host() + "/p@sha256:" + "0".repeat(64), Reason.DIGEST_MISMATCH, "answered with digest");
    }

    @ParameterizedTest
    @CsvSource({
        "application/vnd.oci.image.layer.v1.tar+gzip, 1, Incompatible layer media type",
        "application/vnd.wasm.content.layer.v1+wasm, 2, one layer",
        "application/vnd.wasm.content.layer.v1+wasm, 0, one layer",
    })
    void refusesArtefactsThatAreNotPolicies(String mediaType, int layers, String why) {
        registry(manifest(mediaType, layers), WASM);

        assertFails(host() + "/p:v1", Reason.INVALID_ARTIFACT, why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not json | not JSON",
                "[] | not a JSON object",
                "{\"layers\":[{\"digest\":\"../../etc/passwd\"}]} | without a valid digest",
                "{\"manifests\":[]} | an index of 0 manifests",
            })
    void refusesMalformedManifests(String manifest, String why) {
        registry(manifest, WASM);

        assertFails(host() + "/p:v1", Reason.INVALID_ARTIFACT, why);
    }

    @Test
    void refusesAnEndlessManifest() {
        registry(" ".repeat(5 << 20), WASM);

        assertFails(host() + "/p:v1", Reason.TOO_LARGE, "more than");
    }

    @Test
    void limitsConcurrentRequestsPerHost() throws Exception {
        var now = new AtomicInteger();
        var maximum = new AtomicInteger();
        var arrived = new CountDownLatch(2);
        serve("/p", exchange -> {
            maximum.accumulateAndGet(now.incrementAndGet(), Math::max);
            arrived.countDown();
            try {
                arrived.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            now.decrementAndGet();
            respond(exchange, 200, WASM);
        });
        var fetcher = fetcher(1 << 20);

        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks = new ArrayList<Callable<Object>>();
            for (int task = 0; task < 10; task++) {
                var url = "http://" + host() + "/p" + task;
                tasks.add(() -> fetcher.fetch(url));
            }
            for (var result : executor.invokeAll(tasks)) {
                assertThat(result.get()).isNotNull();
            }
        }

        assertThat(maximum).hasValue(2);
    }

    private void assertFails(String url, Reason reason, String message) {
        assertThatThrownBy(() -> fetcher(WasmModule.DEFAULT_LIMIT).fetch(url))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
        assertNothingOnDisk();
    }

    private void assertNothingOnDisk() {
        try (var files = Files.walk(directory)) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void registry(String manifest, byte[] blob) {
        serve("/v2/p/manifests/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "application/vnd.oci.image.manifest.v1+json");
            respond(exchange, 200, manifest.getBytes(UTF_8));
        });
        serve("/v2/p/blobs/", exchange -> respond(exchange, 200, blob));
    }

    private static String manifest(String mediaType, int layers) {
        var layer = "{\"mediaType\":\"" + mediaType + "\",\"digest\":\"" + Digest.sha256(WASM) + "\",\"size\":"
                + WASM.length + "}";
        return "{\"schemaVersion\":2,\"layers\":" + Collections.nCopies(layers, layer) + "}";
    }

    private PolicyFetcher fetcher(long limit) {
        var artifacts = new PolicyArtifacts(new RegistryClient(transport, Credentials.NONE, Clock.systemUTC()));
        return new PolicyFetcher(transport, artifacts, new PolicyStore(directory), Optional.empty(), limit);
    }

    private interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    private void serve(String path, Handler handler) {
        server.createContext(path, exchange -> {
            try (exchange) {
                handler.handle(exchange);
            }
        });
    }

    private void await() {
        try {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void respond(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    private String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }
}
