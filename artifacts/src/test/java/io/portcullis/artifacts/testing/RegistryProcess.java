package io.portcullis.artifacts.testing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;

/** Runs the real OCI registry (distribution/distribution) on loopback, with storage in a directory of the test. */
public final class RegistryProcess implements AutoCloseable {

    public static final String USER = "alice";
    public static final String PASSWORD = "correct horse";

    private final Process process;
    private final int port;
    private final List<HttpServer> companions;

    private RegistryProcess(Process process, int port, List<HttpServer> companions) {
        this.process = process;
        this.port = port;
        this.companions = companions;
    }

    public static RegistryProcess plain(Path directory) {
        return start(directory, "", "", List.of());
    }

    public static RegistryProcess withTls(Path directory, TestCa ca) {
        return start(directory, tls(directory, ca), "", List.of());
    }

    public static RegistryProcess withPassword(Path directory, TestCa ca) {
        var file = directory.resolve("htpasswd");
        var salt = new byte[16];
        var hash = OpenBSDBCrypt.generate("2y", PASSWORD.toCharArray(), salt, 5);
        TestCa.write(file, USER + ":" + hash + "\n");
        return start(
                directory,
                tls(directory, ca),
                "auth:\n  htpasswd:\n    realm: test\n    path: " + file + "\n",
                List.of());
    }

    /** Starts a registry with a token server of the test, which issues tokens for the password. */
    public static RegistryProcess withTokens(Path directory, TestCa ca) throws IOException {
        var signer = ca.issue("tokens", _ -> {});
        var bundle = directory.resolve("token-ca.pem");
        Files.writeString(bundle, ca.pem());
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/token", exchange -> {
            try (exchange) {
                var wanted = "Basic "
                        + Base64.getEncoder().encodeToString((USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8));
                var refresh = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                var known = wanted.equals(exchange.getRequestHeaders().getFirst("Authorization"))
                        || refresh.contains("refresh_token=refresh-me");
                var query =
                        parameters(refresh.isEmpty() ? exchange.getRequestURI().getRawQuery() : refresh);
                var body = known
                        ? "{\"token\":\"" + token(signer, query) + "\",\"expires_in\":300}"
                        : "{\"details\":\"wrong password\"}";
                exchange.sendResponseHeaders(known ? 200 : 401, body.length());
                exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
            }
        });
        server.start();
        var realm = "http://127.0.0.1:" + server.getAddress().getPort() + "/token";
        var auth = "auth:\n  token:\n    realm: " + realm
                + "\n    service: loopback\n    issuer: test\n    rootcertbundle: " + bundle + "\n";
        return start(directory, tls(directory, ca), auth, List.of(server));
    }

    private static Map<String, String> parameters(String query) {
        return Arrays.stream(query.split("&", -1))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(
                        pair -> pair[0],
                        pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8),
                        (first, _) -> first));
    }

    private static String token(TestCa.Identity signer, Map<String, String> query) {
        var scope = query.getOrDefault("scope", "::").split(":", -1);
        var actions = Arrays.stream(scope[2].split(",", -1))
                .map(action -> "\"" + action + "\"")
                .collect(Collectors.joining(","));
        var now = Instant.now().getEpochSecond();
        var chain = Base64.getEncoder().encodeToString(TestCa.encoded(signer.certificate()));
        var header = "{\"typ\":\"JWT\",\"alg\":\"ES256\",\"x5c\":[\"" + chain + "\"]}";
        var claims = "{\"iss\":\"test\",\"sub\":\"" + USER + "\",\"aud\":\"" + query.get("service") + "\",\"exp\":"
                + (now + 300) + ",\"nbf\":" + (now - 10) + ",\"iat\":" + now + ",\"jti\":\"1\",\"access\":[{\"type\":\""
                + scope[0] + "\",\"name\":\"" + scope[1] + "\",\"actions\":[" + actions + "]}]}";
        var signed = base64Url(header.getBytes(StandardCharsets.UTF_8)) + "."
                + base64Url(claims.getBytes(StandardCharsets.UTF_8));
        try {
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(signer.keys().getPrivate());
            signature.update(signed.getBytes(StandardCharsets.UTF_8));
            return signed + "." + base64Url(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String base64Url(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String tls(Path directory, TestCa ca) {
        var server = ca.server();
        TestCa.write(directory.resolve("tls.crt"), server.certificatePem());
        TestCa.write(directory.resolve("tls.key"), server.keyPem());
        return "  tls:\n    certificate: " + directory.resolve("tls.crt") + "\n    key: " + directory.resolve("tls.key")
                + "\n";
    }

    private static RegistryProcess start(Path directory, String tls, String auth, List<HttpServer> companions) {
        var program = Tools.require("registry");
        try {
            int port = freePort();
            var config = directory.resolve("registry.yml");
            Files.writeString(config, """
                    version: 0.1
                    log: {level: error, accesslog: {disabled: true}}
                    storage: {filesystem: {rootdirectory: %s}, delete: {enabled: true}}
                    http:
                      addr: 127.0.0.1:%d
                    """.formatted(directory.resolve("blobs"), port) + tls + auth);
            var log = directory.resolve("registry.log").toFile();
            var builder = new ProcessBuilder(program.toString(), "serve", config.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log);
            builder.environment().put("OTEL_TRACES_EXPORTER", "none");
            var process = builder.start();
            awaitPort(process, port, log.toPath());
            return new RegistryProcess(process, port, new ArrayList<>(companions));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitPort(Process process, int port, Path log) throws IOException {
        var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (System.nanoTime() < deadline && process.isAlive()) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                if (socket.isConnected()) {
                    return;
                }
            } catch (IOException e) {
                Thread.onSpinWait();
            }
        }
        process.destroyForcibly();
        throw new IOException("the registry did not start: " + Files.readString(log));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Returns {@code host:port}. */
    public String host() {
        return "127.0.0.1:" + port;
    }

    /** Returns {@code host:port} of the token server. */
    public String realmHost() {
        return "127.0.0.1:" + companions.getFirst().getAddress().getPort();
    }

    public URI uri(String path) {
        return URI.create("http://" + host() + path);
    }

    @Override
    public void close() {
        companions.forEach(server -> server.stop(0));
        process.destroy();
        process.onExit().join();
    }
}
