package io.portcullis.artifacts.tuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.HttpLimits;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.verify.keyless.SigstoreFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TufTrustRootTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String LATER = "2026-06-01T00:00:00Z";

    @TempDir
    private Path directory;

    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final KeyPair rootKey = TestCa.newKeys();
    private final KeyPair onlineKey = TestCa.newKeys();
    private final String trustedRoot = new SigstoreFixture().trustRootJson();
    private HttpServer server;
    private Transport transport;

    @BeforeEach
    void publish() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                var body = files.get(exchange.getRequestURI().getPath().substring(1));
                exchange.sendResponseHeaders(body == null ? 404 : 200, body == null ? -1 : body.length);
                if (body != null) {
                    exchange.getResponseBody().write(body);
                }
            }
        });
        server.start();
        var host = "127.0.0.1:" + server.getAddress().getPort();
        transport = new Transport(
                new Sources(Set.of(host), Map.of(), Proxies.NONE),
                new HttpLimits(
                        1,
                        HttpLimits.DEFAULT.connect(),
                        HttpLimits.DEFAULT.response(),
                        HttpLimits.DEFAULT.body(),
                        4,
                        HttpLimits.DEFAULT.total()),
                _ -> {});
        publish(5, LATER, onlineKey);
    }

    @AfterEach
    void stop() {
        transport.close();
        server.stop(0);
    }

    @Test
    void fetchesTheTrustRoot() {
        assertThat(tuf(root(1, rootKey)).get().certificateAuthorities()).hasSize(1);
    }

    @Test
    void followsNewRoots() {
        var nextKey = TestCa.newKeys();
        files.put("2.root.json", sign(rootContent(2, nextKey), rootKey, nextKey));
        files.put("3.root.json", sign(rootContent(3, nextKey), nextKey));

        assertThat(tuf(root(1, rootKey)).get()).isNotNull();
        assertThat(directory.resolve("root.json")).content().contains("\"version\":3");
    }

    @Test
    void refusesARootThatThePreviousRootDidNotSign() {
        var foreign = TestCa.newKeys();
        files.put("2.root.json", sign(rootContent(2, foreign), foreign));

        assertFails("root metadata has 0 of 1 signatures");
    }

    @Test
    void refusesMetadataByForeignKeys() {
        publish(5, LATER, TestCa.newKeys());

        assertFails("timestamp metadata has 0 of 1 signatures");
    }

    @Test
    void refusesExpiredMetadata() {
        publish(5, "2025-01-01T00:00:00Z", onlineKey);

        assertFails("has expired");
    }

    @Test
    void refusesATargetWithAnotherHash() {
        var name = "targets/" + Digest.hex(Digest.sha256(bytes(trustedRoot))) + ".trusted_root.json";
        files.put(name, bytes(trustedRoot + " "));

        assertFails("trusted_root.json is not what was announced");
    }

    @Test
    void refusesMetadataOlderThanTheStoredVersion() {
        tuf(root(1, rootKey)).get();
        publish(4, LATER, onlineKey);

        assertFails("older than what we have seen");
    }

    @Test
    void usesStoredFilesWhileTheRepositoryIsUnreachable() {
        tuf(root(1, rootKey)).get();
        server.stop(0);

        assertThat(tuf(root(1, rootKey)).get().transparencyLogs()).hasSize(1);
    }

    @Test
    void failsWithoutRepositoryAndStoredFiles() {
        server.stop(0);

        assertThatThrownBy(() -> tuf(root(1, rootKey)).get())
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TRUST_ROOT));
    }

    /** The real bundled root: three of five key holders of the public Sigstore instance signed it. */
    @Test
    void verifiesTheRootOfThePublicInstance() throws Exception {
        try (var in = TufTrustRoot.class.getResourceAsStream("sigstore-tuf-root.json")) {
            assertThat(in).isNotNull();
            var root = TufMetadata.parse(in.readAllBytes(), "root");

            assertThatCode(() -> root.checkSigns("root", root)).doesNotThrowAnyException();
        }
    }

    private void assertFails(String why) {
        assertThatThrownBy(() -> tuf(root(1, rootKey)).get())
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TRUST_ROOT))
                .hasMessageContaining(why);
    }

    private TufTrustRoot tuf(byte[] firstRoot) {
        var uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        return new TufTrustRoot(transport, uri, firstRoot, directory, Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private byte[] root(int version, KeyPair key) {
        return sign(rootContent(version, key), key);
    }

    private String rootContent(int version, KeyPair key) {
        return """
                {"_type":"root","version":%d,"expires":"%s","keys":{"%s":%s,"%s":%s},"roles":{
                 "root":{"keyids":["%s"],"threshold":1},"targets":{"keyids":["%5$s"],"threshold":1},
                 "snapshot":{"keyids":["%5$s"],"threshold":1},"timestamp":{"keyids":["%5$s"],"threshold":1}}}
                """.formatted(version, LATER, id(key), json(key), id(onlineKey), json(onlineKey), id(key));
    }

    private void publish(int version, String expires, KeyPair key) {
        var hash = Digest.hex(Digest.sha256(bytes(trustedRoot)));
        files.put("targets/" + hash + ".trusted_root.json", bytes(trustedRoot));
        files.put(version + ".targets.json", sign("""
                {"_type":"targets","version":%d,"expires":"%s","targets":{"trusted_root.json":{"hashes":{"sha256":"%s"}}}}
                """.formatted(version, expires, hash), key));
        files.put(version + ".snapshot.json", sign("""
                {"_type":"snapshot","version":%1$d,"expires":"%2$s","meta":{"targets.json":{"version":%1$d}}}
                """.formatted(version, expires), key));
        files.put("timestamp.json", sign("""
                {"_type":"timestamp","version":%1$d,"expires":"%2$s","meta":{"snapshot.json":{"version":%1$d}}}
                """.formatted(version, expires), key));
    }

    private byte[] sign(String content, KeyPair... keys) {
        try {
            var signed = new ObjectMapper().readTree(content);
            var signatures = new ArrayList<String>();
            for (var key : keys) {
                var signature = Signature.getInstance("SHA256withECDSA");
                signature.initSign(key.getPrivate());
                signature.update(TufCanonicalJson.encode(signed));
                signatures.add("{\"keyid\":\"" + id(key) + "\",\"sig\":\""
                        + HexFormat.of().formatHex(signature.sign()) + "\"}");
            }
            return bytes("{\"signed\":" + signed + ",\"signatures\":" + signatures + "}");
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String id(KeyPair key) {
        return Digest.hex(Digest.sha256(key.getPublic().getEncoded()));
    }

    private static String json(KeyPair key) {
        var pem = TestCa.pem("PUBLIC KEY", key.getPublic().getEncoded()).replace("\n", "\\n");
        return "{\"keytype\":\"ecdsa\",\"scheme\":\"ecdsa-sha2-nistp256\",\"keyval\":{\"public\":\"" + pem + "\"}}";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
