package io.portcullis.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.http.Progress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.Credential;
import io.portcullis.artifacts.oci.Credentials;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.testing.Modules;
import io.portcullis.artifacts.testing.RegistryProcess;
import io.portcullis.artifacts.testing.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a real registry, in every way in which registries are protected. */
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
    void saysUnauthorizedWithoutAPassword() {
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
    void saysUnauthorizedWhenTheTokenServerDoes() throws IOException {
        try (var registry = RegistryProcess.withTokens(directory, ca);
                var transport = new Transport(tokens(registry))) {
            assertUnauthorized(registry, transport, _ -> new Credential.Password("alice", "wrong"));
        }
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

        var immutable = artifacts.push(image, wasm, Map.of("io.kubewarden.policy.title", "test"), watch(sent));
        var store = new PolicyStore(directory.resolve("store-" + System.nanoTime()));
        var fetcher = new PolicyFetcher(transport, artifacts, store, Optional.empty(), PolicyFetcher.DEFAULT_LIMIT);
        var module = fetcher.fetch("registry://" + image, watch(received));

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

    private static Progress watch(AtomicLong seen) {
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
