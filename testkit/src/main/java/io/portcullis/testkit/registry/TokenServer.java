package io.portcullis.testkit.registry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.portcullis.testkit.certificate.ServingCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Issues bearer tokens for a registry to clients with the right password. It follows the distribution project's token
 * specification: a signed JWT whose {@code x5c} header contains the certificate that the registry trusts.
 */
final class TokenServer implements AutoCloseable {

    static final String SERVICE = "local-registry";
    static final String ISSUER = "portcullis-testkit";

    private static final int LIFETIME_SECONDS = 300;

    private final HttpServer server;
    private final ServingCertificate signer;

    private TokenServer(HttpServer server, ServingCertificate signer) {
        this.server = server;
        this.signer = signer;
    }

    static TokenServer start() {
        try {
            var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            var server = new TokenServer(http, ServingCertificate.forNames("token-server"));
            http.createContext("/token", server::answer);
            http.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on loopback", e);
        }
    }

    String realm() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/token";
    }

    String certificatePem() {
        return signer.certificatePem();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var login = base64(LocalRegistry.USER + ":" + LocalRegistry.PASSWORD);
            var authenticated =
                    ("Basic " + login).equals(exchange.getRequestHeaders().getFirst("Authorization"));
            var body = authenticated
                    ? "{\"token\": \"%s\", \"expires_in\": %d}".formatted(token(query(exchange)), LIFETIME_SECONDS)
                    : "{\"details\": \"unknown user or wrong password\"}";
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(authenticated ? 200 : 401, body.length());
            exchange.getResponseBody().write(body.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static Map<String, String> query(HttpExchange exchange) {
        return Arrays.stream(exchange.getRequestURI().getRawQuery().split("&", -1))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(
                        pair -> pair[0],
                        pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8),
                        (first, _) -> first));
    }

    private String token(Map<String, String> query) {
        var now = Instant.now().getEpochSecond();
        var header = """
                {"typ": "JWT", "alg": "ES256", "x5c": ["%s"]}""".formatted(certificateChain());
        var claims = """
                {"iss": "%s", "aud": "%s", "sub": "%s", "iat": %d, "nbf": %d, "exp": %d, "jti": "%d", "access": [%s]}""".formatted(
                        ISSUER,
                        SERVICE,
                        LocalRegistry.USER,
                        now,
                        now - 10,
                        now + LIFETIME_SECONDS,
                        now,
                        access(query.getOrDefault("scope", "")));
        var signed = base64Url(header.getBytes(StandardCharsets.UTF_8))
                + '.'
                + base64Url(claims.getBytes(StandardCharsets.UTF_8));
        return signed + '.' + base64Url(signature(signed));
    }

    /** Returns the scope {@code repository:NAME:pull,push} as a claim. An empty scope gives no access. */
    private static String access(String scope) {
        if (scope.isEmpty()) {
            return "";
        }
        var first = scope.indexOf(':');
        var last = scope.lastIndexOf(':');
        var actions = Arrays.stream(scope.substring(last + 1).split(",", -1))
                .map(action -> '"' + action + '"')
                .collect(Collectors.joining(", "));
        return """
                {"type": "%s", "name": "%s", "actions": [%s]}""".formatted(scope.substring(0, first), scope.substring(first + 1, last), actions);
    }

    private String certificateChain() {
        try {
            return Base64.getEncoder().encodeToString(signer.certificate().getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the certificate has no encoding", e);
        }
    }

    private byte[] signature(String text) {
        try {
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(signer.privateKey());
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign a token", e);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64Url(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
