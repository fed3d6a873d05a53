package io.portcullis.artifacts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.HttpLimits;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.Credential;
import io.portcullis.artifacts.oci.credentials.Credentials;
import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.testing.Modules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a registry with a password and a second host that tries to obtain it. Both are real servers on loopback. */
class HostileRegistryTest {

    private static final byte[] WASM = Modules.ofSize(100_000, 5);
    private static final Credentials ALICE = _ -> new Credential.Password("alice", "secret-of-alice");
    private static final String BASIC =
            "Basic " + Base64.getEncoder().encodeToString("alice:secret-of-alice".getBytes(UTF_8));
    private static final HttpLimits SHORT_LIMITS = new HttpLimits(
            2, Duration.ofMillis(500), Duration.ofSeconds(20), Duration.ofSeconds(20), 4, Duration.ofSeconds(60));

    @TempDir
    private Path directory;

    private HttpServer registry;
    private HttpServer other;
    private Transport transport;
    /** The {@code Authorization} headers that each host received; "-" for none. */
    private final List<String> atRegistry = Collections.synchronizedList(new ArrayList<>());

    private final List<String> atOther = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void start() throws IOException {
        registry = server("127.0.0.1");
        other = server("127.0.0.2");
        transport = transport(AllowedNetworks.EVERYTHING, SHORT_LIMITS);
    }

    @AfterEach
    void stop() {
        transport.close();
        registry.stop(0);
        other.stop(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer realm=\"http://OTHER/token\",service=\"s\"", "Basic realm=\"s\""})
    void doesNotSendThePasswordToTheTargetOfABlobRedirect(String challenge) {
        registryWithPassword(exchange -> redirect(exchange, "http://" + host(other) + "/storage"));
        on(other, atOther, "/storage", exchange -> challenge(exchange, challenge.replace("OTHER", host(other))));
        on(other, atOther, "/token", exchange -> answer(exchange, 200, "{\"token\":\"x\"}".getBytes(UTF_8)));

        assertThatThrownBy(() -> fetcher().fetch(host(registry) + "/p:v1"))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAUTHORIZED))
                .hasMessageContaining(host(other) + " asks for credentials, which go to " + host(registry) + " only");

        assertThat(atRegistry).contains(BASIC);
        assertThat(atOther).isNotEmpty().containsOnly("-");
    }

    @Test
    void doesNotSendThePasswordToATokenServerNamedByAnotherHost() {
        registryWithPassword(exchange -> redirect(exchange, "http://" + host(other) + "/storage"));
        // The other host names the registry's own address as realm, to learn and replay the token.
        on(
                other,
                atOther,
                "/storage",
                exchange -> challenge(exchange, "Bearer realm=\"http://" + host(registry) + "/token\""));
        on(registry, atRegistry, "/token", exchange -> answer(exchange, 200, "{\"token\":\"x\"}".getBytes(UTF_8)));

        assertThatThrownBy(() -> fetcher().fetch(host(registry) + "/p:v1")).isInstanceOf(ArtifactException.class);

        assertThat(atOther).isNotEmpty().containsOnly("-");
    }

    @Test
    void fetchesFromStorageThatARegistryRedirectsTo() {
        registryWithPassword(exchange -> redirect(exchange, "http://" + host(other) + "/storage?signature=x"));
        on(other, atOther, "/storage", exchange -> answer(exchange, 200, WASM));

        assertThat(fetcher().fetch(host(registry) + "/p:v1").wasm()).isEqualTo(WASM);
        assertThat(atOther).containsOnly("-");
    }

    @Test
    void sendsThePasswordToTheTokenServerThatTheRegistryNames() {
        var token = "Bearer t0";
        on(registry, atRegistry, "/v2/p/", exchange -> {
            if (!token.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                challenge(exchange, "Bearer realm=\"http://" + host(other) + "/token\",service=\"s\"");
            } else if (exchange.getRequestURI().getPath().contains("/manifests/")) {
                answer(exchange, 200, manifest());
            } else {
                answer(exchange, 200, WASM);
            }
        });
        on(other, atOther, "/token", exchange -> answer(exchange, 200, "{\"token\":\"t0\"}".getBytes(UTF_8)));

        assertThat(fetcher().fetch(host(registry) + "/p:v1").wasm()).isEqualTo(WASM);
        assertThat(atOther).containsExactly(BASIC);
        assertThat(atRegistry).doesNotContain(BASIC);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"token\":\"x\\r\\nEvil: 1\"}",
                "{\"token\":\"\"}",
                "{}",
                "[]",
                "null",
                "",
                "{\"token\":\"x y\"}",
            })
    void refusesTokensThatCannotBeSent(String answer) {
        on(
                registry,
                atRegistry,
                "/v2/p/",
                exchange -> challenge(exchange, "Bearer realm=\"http://" + host(other) + "/token\""));
        on(other, atOther, "/token", exchange -> answer(exchange, 200, answer.getBytes(UTF_8)));

        assertThatThrownBy(() -> fetcher().fetch(host(registry) + "/p:v1"))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAUTHORIZED));
    }

    @Test
    void boundsTheLifetimeThatATokenServerDeclares() {
        on(registry, atRegistry, "/v2/p/", exchange -> {
            if (exchange.getRequestHeaders().getFirst("Authorization") == null) {
                challenge(exchange, "Bearer realm=\"http://" + host(other) + "/token\"");
            } else {
                answer(exchange, 200, manifest());
            }
        });
        on(
                other,
                atOther,
                "/token",
                exchange ->
                        answer(exchange, 200, "{\"token\":\"t\",\"expires_in\":9223372036854775807}".getBytes(UTF_8)));

        assertThat(client(transport).digest(ImageReference.parse(host(registry) + "/p:v1")))
                .startsWith("sha256:");
    }

    @Test
    void refusesAnEndlessTokenResponse() {
        on(
                registry,
                atRegistry,
                "/v2/p/",
                exchange -> challenge(exchange, "Bearer realm=\"http://" + host(other) + "/token\""));
        on(other, atOther, "/token", HostileRegistryTest::endless);

        assertThatThrownBy(() -> fetcher().fetch(host(registry) + "/p:v1"))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
    }

    @Test
    void doesNotSendTheTokenToAnotherUploadHost() {
        on(registry, atRegistry, "/v2/p/", exchange -> {
            if (exchange.getRequestHeaders().getFirst("Authorization") == null) {
                challenge(exchange, "Basic realm=\"r\"");
            } else if (exchange.getRequestMethod().equals("POST")) {
                exchange.getResponseHeaders().add("Location", "http://" + host(other) + "/upload");
                answer(exchange, 202, new byte[0]);
            } else {
                answer(exchange, 404, new byte[0]);
            }
        });
        on(other, atOther, "/upload", exchange -> challenge(exchange, "Basic realm=\"r\""));
        var artifacts = new PolicyArtifacts(client(transport));
        var image = ImageReference.parse(host(registry) + "/p:v1");

        assertThatThrownBy(() -> artifacts.push(image, WASM, Map.of(), DownloadProgress.SILENT))
                .isInstanceOf(ArtifactException.class);

        assertThat(atRegistry).contains(BASIC);
        assertThat(atOther).isNotEmpty().containsOnly("-");
    }

    @Test
    void abortsABodyThatNeverEnds() {
        on(registry, atRegistry, "/p.wasm", HostileRegistryTest::endless);
        try (var brief = transport(AllowedNetworks.EVERYTHING, SHORT_LIMITS.withTotal(Duration.ofMillis(300)))) {
            assertThatThrownBy(() -> fetcher(brief, Long.MAX_VALUE).fetch("http://" + host(registry) + "/p.wasm"))
                    .isInstanceOfSatisfying(
                            ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMEOUT));
        }
    }

    @Test
    void refusesToConnectToAddressesThatAreNotAllowed() {
        registryWithPassword(exchange -> answer(exchange, 200, WASM));
        try (var restricted = transport(publicAnd(), SHORT_LIMITS)) {
            refusesAddress(() -> client(restricted).digest(ImageReference.parse(host(registry) + "/p:v1")));
            refusesAddress(() -> client(restricted).manifest(ImageReference.parse("localhost:1/p:v1")));
            refusesAddress(() -> client(restricted).manifest(ImageReference.parse("[::1]:1/p:v1")));
            refusesAddress(() -> client(restricted).manifest(ImageReference.parse("169.254.169.254/p:v1")));
            refusesAddress(() -> client(restricted).manifest(ImageReference.parse("does-not-exist.invalid/p:v1")));
        }
        assertThat(atRegistry).isEmpty();
    }

    @Test
    void worksWithAddressesThatAreAllowed() {
        registryWithPassword(exchange -> answer(exchange, 200, WASM));
        try (var restricted = transport(publicAnd("127.0.0.1"), SHORT_LIMITS)) {
            var image = ImageReference.parse(host(registry) + "/p:v1");

            assertThat(client(restricted).digest(image)).isEqualTo(Digest.sha256(manifest()));
            assertThat(fetcher(restricted, 1 << 20).fetch(image.toString()).wasm())
                    .isEqualTo(WASM);
        }
        assertThat(atRegistry).contains("-", BASIC);
    }

    @Test
    void readsChunkedBodiesFromAllowedAddresses() {
        registryWithPassword(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(WASM);
        });
        try (var restricted = transport(publicAnd("127.0.0.1"), SHORT_LIMITS)) {
            assertThat(fetcher(restricted, 1 << 20)
                            .fetch(host(registry) + "/p:v1")
                            .wasm())
                    .isEqualTo(WASM);
        }
    }

    @Test
    void doesNotFollowARedirectToAnAddressThatIsNotAllowed() {
        registryWithPassword(exchange -> redirect(exchange, "http://" + host(other) + "/storage"));
        on(other, atOther, "/storage", exchange -> answer(exchange, 200, WASM));
        try (var restricted = transport(publicAnd("127.0.0.1"), SHORT_LIMITS)) {
            refusesAddress(() -> fetcher(restricted, 1 << 20).fetch(host(registry) + "/p:v1"));
        }
        assertThat(atOther).isEmpty();
    }

    @Test
    void doesNotCallATokenServerAtAnAddressThatIsNotAllowed() {
        on(
                registry,
                atRegistry,
                "/v2/p/",
                exchange -> challenge(exchange, "Bearer realm=\"http://" + host(other) + "/token\""));
        try (var restricted = transport(publicAnd("127.0.0.1"), SHORT_LIMITS)) {
            refusesAddress(() -> fetcher(restricted, 1 << 20).fetch(host(registry) + "/p:v1"));
        }
        assertThat(atOther).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://169.254.169.254/latest/meta-data",
                "http://0.0.0.0/",
                "http://[fe80::1]/",
                "file:///etc/passwd",
                "https://user:pass@127.0.0.1/",
                "//",
                "http://",
                ":",
            })
    void doesNotFollowModuleRedirectsToMorePrivateOrInvalidAddresses(String location) {
        registryWithPassword(exchange -> redirect(exchange, location));
        try (var insecureEverywhere = new Transport(
                new Sources(Set.of(host(registry), "169.254.169.254x"), Map.of(), Proxies.NONE),
                SHORT_LIMITS,
                _ -> {})) {
            assertThatThrownBy(() -> fetcher(insecureEverywhere, 1 << 20).fetch(host(registry) + "/p:v1"))
                    .isInstanceOfSatisfying(
                            ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        }
    }

    @Test
    void connectsToTheAddressThatWasChecked() {
        registryWithPassword(exchange -> answer(exchange, 200, WASM));
        var lookups = new AtomicInteger();
        // A name whose address changes with every lookup.
        Transport.Resolver rebinding =
                _ -> List.of(InetAddress.ofLiteral(lookups.getAndIncrement() % 2 == 0 ? "127.0.0.1" : "127.0.0.2"));
        var name = "rebinding.example:" + registry.getAddress().getPort();
        try (var restricted = new Transport(
                new Sources(Set.of(name), Map.of(), Proxies.NONE),
                new HttpLimits(
                        1,
                        Duration.ofMillis(500),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        4,
                        Duration.ofSeconds(60)),
                _ -> {},
                publicAnd("127.0.0.1"),
                rebinding)) {
            var request = Request.get(URI.create("http://" + name + "/v2/p/manifests/v1"), Map.of());

            try (var first = restricted.send(request)) {
                assertThat(first.status()).isEqualTo(401);
            }
            refusesAddress(() -> restricted.send(request));
        }
        assertThat(lookups).hasValue(2);
        assertThat(atOther).isEmpty();
    }

    private static void refusesAddress(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(ArtifactException.class)
                .hasMessageContaining("unknown host, or its address may not be reached: ask the operator");
    }

    private static AllowedNetworks publicAnd(String... listed) {
        return AllowedNetworks.publicAnd(List.of(listed), "ask the operator");
    }

    /** Requires a password. Then responds to manifest requests itself and passes blob requests to the handler. */
    private void registryWithPassword(HttpHandler blobs) {
        on(registry, atRegistry, "/v2/p/", exchange -> {
            if (!BASIC.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                challenge(exchange, "Basic realm=\"r\"");
            } else if (exchange.getRequestURI().getPath().contains("/manifests/")) {
                exchange.getResponseHeaders().add("Docker-Content-Digest", Digest.sha256(manifest()));
                answer(exchange, 200, manifest());
            } else {
                blobs.handle(exchange);
            }
        });
    }

    private static byte[] manifest() {
        return ("{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"layers\":[{"
                        + "\"mediaType\":\"application/vnd.wasm.content.layer.v1+wasm\",\"digest\":\""
                        + Digest.sha256(WASM) + "\",\"size\":" + WASM.length + "}]}")
                .getBytes(UTF_8);
    }

    private static HttpServer server(String address) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral(address), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        return server;
    }

    private static void on(HttpServer server, List<String> seen, String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            try (exchange) {
                var authorization = exchange.getRequestHeaders().getFirst("Authorization");
                seen.add(authorization == null ? "-" : authorization);
                exchange.getRequestBody().readAllBytes();
                handler.handle(exchange);
            }
        });
    }

    private static void challenge(HttpExchange exchange, String challenge) throws IOException {
        exchange.getResponseHeaders().add("WWW-Authenticate", challenge);
        answer(exchange, 401, new byte[0]);
    }

    private static void redirect(HttpExchange exchange, String location) throws IOException {
        exchange.getResponseHeaders().add("Location", location);
        answer(exchange, 307, new byte[0]);
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        var none = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, none ? -1 : body.length);
        if (!none) {
            exchange.getResponseBody().write(body);
        }
    }

    /** Sends data until the client closes the connection. */
    private static void endless(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        var part = new byte[64 << 10];
        while (true) {
            exchange.getResponseBody().write(part);
        }
    }

    private Transport transport(AllowedNetworks networks, HttpLimits limits) {
        var sources = new Sources(Set.of(host(registry), host(other)), Map.of(), Proxies.NONE);
        return new Transport(sources, limits, _ -> {}, networks, HostileRegistryTest::resolve);
    }

    private static List<InetAddress> resolve(String name) throws UnknownHostException {
        if (name.endsWith(".invalid")) {
            throw new UnknownHostException(name);
        }
        return List.of(InetAddress.getAllByName(name));
    }

    private static RegistryClient client(Transport transport) {
        return new RegistryClient(transport, ALICE, Clock.systemUTC());
    }

    private PolicyFetcher fetcher() {
        return fetcher(transport, 1 << 20);
    }

    private PolicyFetcher fetcher(Transport by, long limit) {
        return new PolicyFetcher(
                by, new PolicyArtifacts(client(by)), new PolicyStore(directory), Optional.empty(), limit);
    }

    private static String host(HttpServer server) {
        return server.getAddress().getHostString() + ":" + server.getAddress().getPort();
    }
}
