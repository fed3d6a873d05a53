package io.portcullis.process.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerTlsTest {

    private static final Path MADE = Path.of("src/test/resources/tls");
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    Path dir;

    private TlsFiles files = new TlsFiles(MADE, MADE, List.of());

    @BeforeEach
    void firstIdentity() throws IOException {
        files = new TlsFiles(dir.resolve("tls.crt"), dir.resolve("tls.key"), List.of());
        install("first", "first");
    }

    private void install(String certificate, String key) throws IOException {
        Files.copy(MADE.resolve(certificate + ".crt"), files.certificate(), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(MADE.resolve(key + ".key"), files.key(), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Completes one handshake over a real socket and returns the server certificate's identity. */
    private static String handshake(SSLContext server, boolean needClient, Optional<String> clientIdentity)
            throws Exception {
        var context = SSLContext.getInstance("TLS");
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        if (clientIdentity.isPresent()) {
            var store = KeyStore.getInstance(
                    MADE.resolve(clientIdentity.get() + ".p12").toFile(), "test".toCharArray());
            keys.init(store, "test".toCharArray());
        }
        context.init(
                clientIdentity.isPresent() ? keys.getKeyManagers() : null,
                new TrustManager[] {
                    ClientTrust.load(List.of(MADE.resolve("root.crt"))).manager()
                },
                null);
        try (var listener = (SSLServerSocket) server.getServerSocketFactory().createServerSocket(0)) {
            listener.setNeedClientAuth(needClient);
            var accepted = Thread.ofVirtual().start(() -> {
                try (var socket = listener.accept()) {
                    socket.getOutputStream().write(1);
                    socket.getInputStream().read();
                } catch (IOException e) {
                    // the test checks the client's result only
                }
            });
            try (var socket =
                    (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", listener.getLocalPort())) {
                socket.startHandshake();
                if (socket.getInputStream().read() != 1) {
                    throw new SSLException("closed");
                }
                return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                        .getSubjectX500Principal()
                        .getName();
            } finally {
                accepted.join();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"first", "second", "third", "fourth"})
    void readsEveryKindOfKey(String name) throws Exception {
        install(name, name);

        try (var tls = ServerTls.start(files, NEVER)) {
            assertThat(handshake(tls.context(), false, Optional.empty())).isEqualTo("CN=" + name);
        }
    }

    @Test
    void servesCertificateChains() throws Exception {
        install("first-chain", "first");

        try (var tls = ServerTls.start(files, NEVER)) {
            assertThat(handshake(tls.context(), false, Optional.empty())).isEqualTo("CN=first");
        }
    }

    @Test
    void keepsTheOldIdentityUntilCertificateAndKeyMatch() throws Exception {
        try (var tls = ServerTls.start(files, NEVER)) {
            var context = tls.context();
            install("second", "first");
            tls.check();

            assertThat(handshake(context, false, Optional.empty())).isEqualTo("CN=first");
            assertThat(tls.lastError())
                    .hasValueSatisfying(
                            error -> assertThat(error).contains(files.key().toString()));

            install("second", "second");
            tls.check();

            assertThat(handshake(context, false, Optional.empty())).isEqualTo("CN=second");
            assertThat(tls.lastError()).isEmpty();
        }
    }

    @Test
    void detectsWrittenFiles() throws Exception {
        try (var tls = ServerTls.start(files, NEVER)) {
            var context = tls.context();
            install("third", "third");

            await().untilAsserted(() ->
                    assertThat(handshake(context, false, Optional.empty())).isEqualTo("CN=third"));
        }
    }

    @Test
    void detectsEverySymbolicLinkSwapOfAKubernetesVolume() throws Exception {
        var volume = Files.createDirectory(dir.resolve("volume"));
        swap(volume, "v1", "first");
        Files.createSymbolicLink(volume.resolve("tls.crt"), Path.of("..data", "tls.crt"));
        Files.createSymbolicLink(volume.resolve("tls.key"), Path.of("..data", "tls.key"));
        var mounted = new TlsFiles(volume.resolve("tls.crt"), volume.resolve("tls.key"), List.of());

        try (var tls = ServerTls.start(mounted, NEVER)) {
            var context = tls.context();
            for (var name : List.of("second", "third", "first")) {
                swap(volume, "v-" + name, name);
                await().untilAsserted(() ->
                        assertThat(handshake(context, false, Optional.empty())).isEqualTo("CN=" + name));
            }
        }
    }

    /** As the kubelet does it: new directory, new link, rename over the old link, old directory removed. */
    private static void swap(Path volume, String version, String name) throws IOException {
        var data = Files.createDirectory(volume.resolve(version));
        Files.copy(MADE.resolve(name + ".crt"), data.resolve("tls.crt"));
        Files.copy(MADE.resolve(name + ".key"), data.resolve("tls.key"));
        Files.createSymbolicLink(volume.resolve("..data_tmp"), Path.of(version));
        Files.move(
                volume.resolve("..data_tmp"),
                volume.resolve("..data"),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void findsChangesByPollingWithoutNotifications() throws Exception {
        try (var tls = ServerTls.start(files, Duration.ofMillis(20))) {
            var context = tls.context();
            install("second", "second");

            await().untilAsserted(() ->
                    assertThat(handshake(context, false, Optional.empty())).isEqualTo("CN=second"));
        }
    }

    @Test
    void asksClientsForACertificateOfTheRightAuthority() throws Exception {
        var mutual = new TlsFiles(files.certificate(), files.key(), List.of(MADE.resolve("root.crt")));

        try (var tls = ServerTls.start(mutual, NEVER)) {
            assertThat(tls.requiresClientCertificate()).isTrue();
            assertThat(handshake(tls.context(), true, Optional.of("client"))).isEqualTo("CN=first");
            assertThatThrownBy(() -> handshake(tls.context(), true, Optional.empty()))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> handshake(tls.context(), true, Optional.of("stranger")))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void followsTheClientAuthorities() throws Exception {
        var authorities = dir.resolve("ca.crt");
        Files.copy(MADE.resolve("root.crt"), authorities);
        var mutual = new TlsFiles(files.certificate(), files.key(), List.of(authorities));

        try (var tls = ServerTls.start(mutual, NEVER)) {
            var context = tls.context();
            Files.copy(MADE.resolve("other-root.crt"), authorities, StandardCopyOption.REPLACE_EXISTING);
            tls.check();

            assertThat(handshake(context, true, Optional.of("stranger"))).isEqualTo("CN=first");
            assertThatThrownBy(() -> handshake(context, true, Optional.of("client")))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void reportsWhichFileIsBroken() throws Exception {
        Files.writeString(files.key(), "not a key");
        assertThatThrownBy(() -> ServerTls.start(files, NEVER))
                .hasMessage("expected exactly one private key in " + files.key() + ", found 0");

        Files.writeString(files.certificate(), "not a certificate");
        assertThatThrownBy(() -> ServerTls.start(files, NEVER))
                .hasMessage("no certificate found in " + files.certificate());

        Files.delete(files.certificate());
        assertThatThrownBy(() -> ServerTls.start(files, NEVER))
                .hasMessage("cannot read " + files.certificate() + ": no such file");

        install("first", "second");
        assertThatThrownBy(() -> ServerTls.start(files, NEVER))
                .hasMessage(
                        "the key in " + files.key() + " does not belong to the certificate in " + files.certificate());
    }
}
