package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TlsServerTest {

    private static final Path TLS_FILES = Path.of("../process/src/test/resources/tls");
    private static final String POLICIES = "priv: {module: $POLICIES/privileged-pods/policy.wasm}\n";

    @TempDir
    Path dir;

    private RunningServer start(String... more) throws Exception {
        install("first");
        var arguments = new java.util.ArrayList<String>();
        arguments.add("--cert-file=" + dir.resolve("tls.crt"));
        arguments.add("--key-file=" + dir.resolve("tls.key"));
        arguments.addAll(java.util.List.of(more));
        return new RunningServer(dir, POLICIES, arguments.toArray(String[]::new));
    }

    private void install(String name) throws IOException {
        Files.copy(TLS_FILES.resolve(name + ".crt"), dir.resolve("tls.crt"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(TLS_FILES.resolve(name + ".key"), dir.resolve("tls.key"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static SSLContext trust(Optional<String> client) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(TLS_FILES.resolve("root.crt"))) {
            store.setCertificateEntry(
                    "root", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        if (client.isEmpty()) {
            context.init(null, trust.getTrustManagers(), null);
        } else {
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(
                    KeyStore.getInstance(
                            TLS_FILES.resolve(client.get() + ".p12").toFile(), "test".toCharArray()),
                    "test".toCharArray());
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        }
        return context;
    }

    private static HttpResponse<String> send(RunningServer server, Version version, Optional<String> client)
            throws Exception {
        try (var http = HttpClient.newBuilder()
                .version(version)
                .sslContext(trust(client))
                .build()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create(
                                    "https://localhost:" + server.server.apiPort() + "/validate/priv?timeout=10s"))
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(Reviews.rejected()))
                            .build(),
                    BodyHandlers.ofString());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void usesTheHttpVersionThatTheClientPrefers(Version version) throws Exception {
        try (var server = start()) {
            var answer = send(server, version, Optional.empty());

            assertThat(answer.version()).isEqualTo(version);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("Privileged container is not allowed");
        }
    }

    @Test
    void servesANewCertificateWithoutRestart() throws Exception {
        try (var server = start()) {
            install("second");

            await().untilAsserted(() -> assertThat(subject(send(server, Version.HTTP_2, Optional.empty())))
                    .isEqualTo("CN=second"));
        }
    }

    private static String subject(HttpResponse<String> answer) throws Exception {
        var session = answer.sslSession().orElseThrow();
        return ((X509Certificate) session.getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    @Test
    void requiresClientCertificatesWhenConfigured() throws Exception {
        try (var server = start("--client-ca-file=" + TLS_FILES.resolve("root.crt"))) {
            assertThat(send(server, Version.HTTP_2, Optional.of("client")).statusCode())
                    .isEqualTo(200);
            assertThatThrownBy(() -> send(server, Version.HTTP_2, Optional.empty()))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> send(server, Version.HTTP_1_1, Optional.of("stranger")))
                    .isInstanceOf(IOException.class);
            assertThat(server.probes().get("/readiness").status())
                    .as("the server's check of itself needs no certificate")
                    .isEqualTo(200);
        }
    }

    @Test
    void closesConnectionsWithIncompleteHandshakes() throws Exception {
        try (var server = start("--header-timeout=3s");
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.server.apiPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write(new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01}); // the start of a ClientHello

            assertThat(socket.getInputStream().readAllBytes())
                    .as("nothing but an alert of TLS before the end")
                    .hasSizeLessThan(32);
            assertThat(send(server, Version.HTTP_2, Optional.empty()).statusCode())
                    .isEqualTo(200);
        }
    }
}
