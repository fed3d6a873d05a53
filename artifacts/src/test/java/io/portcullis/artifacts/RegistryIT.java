package io.portcullis.artifacts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.ImageLookup;
import io.portcullis.artifacts.oci.MediaTypes;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.Credential;
import io.portcullis.artifacts.oci.credentials.Credentials;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.testing.Modules;
import io.portcullis.artifacts.testing.RegistryProcess;
import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests against a real registry with each kind of protection. */
class RegistryIT {

    private static final Credentials ALICE =
            _ -> new Credential.Password(RegistryProcess.USER, RegistryProcess.PASSWORD);

    @TempDir
    private Path directory;

    private final TestCa ca = TestCa.create("registry CA");

    @Test
    void pushesAndPullsOverPlainHttpWhenTheHostIsListedAsInsecure() {
        try (var registry = RegistryProcess.plain(directory);
                var transport = new Transport(insecure(registry))) {
            pushesAndPulls(registry, transport, Credentials.NONE);
        }
    }

    @Test
    void refusesPlainHttpUnlessTheHostIsListed() {
        try (var registry = RegistryProcess.plain(directory);
                var transport = new Transport(Sources.DEFAULT)) {
            assertThatThrownBy(() -> pushesAndPulls(registry, transport, Credentials.NONE))
                    .asInstanceOf(type(ArtifactException.class))
                    .extracting(ArtifactException::reason)
                    .isEqualTo(Reason.UNAVAILABLE);
        }
    }

    @Test
    void pushesAndPullsOverTlsWithItsOwnAuthority() {
        try (var registry = RegistryProcess.withTls(directory, ca);
                var transport = new Transport(authority(registry))) {
            pushesAndPulls(registry, transport, Credentials.NONE);
        }
    }

    @Test
    void doesNotTrustAnAuthorityThatIsConfiguredForAnotherHost() {
        try (var registry = RegistryProcess.withTls(directory, ca);
                var transport = new Transport(
                        new Sources(Set.of(), Map.of("other.example", List.of(ca.certificate())), Proxies.NONE))) {
            assertThatThrownBy(() -> pushesAndPulls(registry, transport, Credentials.NONE))
                    .hasMessageContaining("TLS");
        }
    }

    @Test
    void acceptsAnUnknownCertificateWhenTheHostIsListedAsInsecure() {
        try (var registry = RegistryProcess.withTls(directory, ca);
                var transport = new Transport(insecure(registry))) {
            pushesAndPulls(registry, transport, Credentials.NONE);
        }
    }

    @Test
    void pushesAndPullsWithAPassword() {
        try (var registry = RegistryProcess.withPassword(directory, ca);
                var transport = new Transport(authority(registry))) {
            pushesAndPulls(registry, transport, ALICE);
        }
    }

    @Test
    void reportsUnauthorizedWithoutAPassword() {
        try (var registry = RegistryProcess.withPassword(directory, ca);
                var transport = new Transport(authority(registry))) {
            assertUnauthorized(registry, transport, Credentials.NONE);
            assertUnauthorized(registry, transport, _ -> new Credential.Password("alice", "wrong"));
        }
    }

    @Test
    void pushesAndPullsWithTokens() throws IOException {
        try (var registry = RegistryProcess.withTokens(directory, ca);
                var transport = new Transport(tokens(registry))) {
            pushesAndPulls(registry, transport, ALICE);
            pushesAndPulls(registry, transport, _ -> new Credential.IdentityToken("refresh-me"));
        }
    }

    @Test
    void reportsUnauthorizedIfTheTokenServerDoes() throws IOException {
        try (var registry = RegistryProcess.withTokens(directory, ca);
                var transport = new Transport(tokens(registry))) {
            assertUnauthorized(registry, transport, _ -> new Credential.Password("alice", "wrong"));
        }
    }

    @Test
    void looksUpImagesForPolicies() {
        try (var registry = RegistryProcess.plain(directory);
                var transport = new Transport(insecure(registry))) {
            var client = new RegistryClient(transport, Credentials.NONE, Clock.systemUTC());
            var image = ImageReference.parse(registry.host() + "/images/app:v1");
            new PolicyArtifacts(client).push(image, Modules.small(), Map.of("a", "b"), DownloadProgress.SILENT);
            var digest = client.digest(image);
            var index = "{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.index.v1+json\",\"unknown\":1,"
                    + "\"manifests\":[{\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"digest\":\""
                    + digest + "\",\"size\":"
                    + client.manifest(image).json().toString().length()
                    + ",\"platform\":{\"os\":\"linux\",\"architecture\":\"amd64\"}}]}";
            client.pushManifest(image.withTag("index"), index.getBytes(UTF_8), MediaTypes.OCI_INDEX);
            var lookup = new ImageLookup(client);

            assertThat(lookup.manifestDigest(image.toString())).isEqualTo(digest);
            assertThat(lookup.manifest(image.toString()).at("/annotations/a").asText())
                    .isEqualTo("b");
            assertThat(lookup.manifest(image.withTag("index").toString()).has("unknown"))
                    .isFalse();
            var found = lookup.manifestAndConfig(image.withTag("index").toString());
            assertThat(found.digest()).isEqualTo(digest);
            assertThat(found.config()).isEmpty();
            assertThatThrownBy(
                            () -> lookup.manifestDigest(image.withTag("missing").toString()))
                    .hasMessageContaining("404");
        }
    }

    @Test
    void downloadsFromAnHttpsFileServerWithItsOwnAuthority() throws Exception {
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(serverTls(ca.server())));
        server.createContext("/p.wasm", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, Modules.small().length);
                exchange.getResponseBody().write(Modules.small());
            }
        });
        server.start();
        var host = "127.0.0.1:" + server.getAddress().getPort();
        var sources = new Sources(Set.of(), Map.of(host, List.of(ca.certificate())), Proxies.NONE);
        try (var transport = new Transport(sources)) {
            var artifacts = new PolicyArtifacts(new RegistryClient(transport, Credentials.NONE, Clock.systemUTC()));
            var fetcher = new PolicyFetcher(
                    transport, artifacts, new PolicyStore(directory), Optional.empty(), WasmModule.DEFAULT_LIMIT);

            assertThat(fetcher.fetch("https://" + host + "/p.wasm").wasm()).isEqualTo(Modules.small());
        } finally {
            server.stop(0);
        }
        try (var offline = new Transport(Sources.DEFAULT)) {
            var artifacts = new PolicyArtifacts(new RegistryClient(offline, Credentials.NONE, Clock.systemUTC()));
            var fetcher = new PolicyFetcher(
                    offline, artifacts, new PolicyStore(directory), Optional.empty(), WasmModule.DEFAULT_LIMIT);

            assertThat(fetcher.fetch("https://" + host + "/p.wasm").wasm()).isEqualTo(Modules.small());
        }
    }

    private static SSLContext serverTls(TestCa.Identity identity) throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("tls", identity.keys().getPrivate(), new char[0], new Certificate[] {identity.certificate()});
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private void assertUnauthorized(RegistryProcess registry, Transport transport, Credentials credentials) {
        assertThatThrownBy(() -> pushesAndPulls(registry, transport, credentials))
                .hasMessageNotContaining("wrong\"")
                .asInstanceOf(type(ArtifactException.class))
                .extracting(ArtifactException::reason)
                .isEqualTo(Reason.UNAUTHORIZED);
    }

    private void pushesAndPulls(RegistryProcess registry, Transport transport, Credentials credentials) {
        var client = new RegistryClient(transport, credentials, Clock.systemUTC());
        var artifacts = new PolicyArtifacts(client);
        var wasm = Modules.ofSize(9_000_000, 7);
        var image = ImageReference.parse(registry.host() + "/policies/pod-privileged:v1");
        var sent = new AtomicLong();
        var received = new AtomicLong();

        var immutable = artifacts.push(image, wasm, Map.of("io.kubewarden.policy.title", "test"), recordProgress(sent));
        var store = new PolicyStore(directory.resolve("store-" + System.nanoTime()));
        var fetcher = new PolicyFetcher(transport, artifacts, store, Optional.empty(), WasmModule.DEFAULT_LIMIT);
        var module = fetcher.fetch("registry://" + image, recordProgress(received));

        assertThat(module.wasm()).isEqualTo(wasm);
        assertThat(module.digest()).isEqualTo(Digest.sha256(wasm));
        assertThat(immutable).isEqualTo(image.registry() + "/" + image.repository() + "@" + client.digest(image));
        assertThat(module.resolvedUrl()).isEqualTo("registry://" + image + "@" + client.digest(image));
        assertThat(sent).hasValue(wasm.length);
        assertThat(received).hasValue(wasm.length);
        assertThat(client.manifest(image)
                        .json()
                        .at("/annotations/io.kubewarden.policy.title")
                        .asText())
                .isEqualTo("test");
        assertThat(fetcher.fetch(immutable).wasm()).isEqualTo(wasm);
        assertThat(store.list())
                .hasSize(2)
                .allSatisfy(policy -> assertThat(policy.size()).isEqualTo(wasm.length));
        assertThat(Files.exists(store.place(PolicyUri.parse(image.toString())))).isTrue();
    }

    private static DownloadProgress recordProgress(AtomicLong seen) {
        return (bytes, _) -> seen.set(bytes);
    }

    private static Sources insecure(RegistryProcess registry) {
        return new Sources(Set.of(registry.host()), Map.of(), Proxies.NONE);
    }

    private Sources authority(RegistryProcess registry) {
        return new Sources(Set.of(), Map.of(registry.host(), List.of(ca.certificate())), Proxies.NONE);
    }

    private Sources tokens(RegistryProcess registry) {
        return new Sources(
                Set.of(registry.realmHost()), Map.of(registry.host(), List.of(ca.certificate())), Proxies.NONE);
    }
}
