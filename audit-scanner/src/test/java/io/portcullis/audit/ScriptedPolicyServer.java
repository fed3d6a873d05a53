package io.portcullis.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.portcullis.testkit.certificate.ServingCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A small HTTPS server with scripted responses, including invalid ones. */
final class ScriptedPolicyServer implements AutoCloseable {

    record Reply(int status, String body) {}

    static final Reply ALLOWED = new Reply(200, "{\"response\": {\"allowed\": true}}");

    private final HttpsServer server;
    private final ServingCertificate certificate;
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final Map<String, byte[]> bodies = new ConcurrentHashMap<>();

    private ScriptedPolicyServer(HttpsServer server, ServingCertificate certificate) {
        this.server = server;
        this.certificate = certificate;
    }

    /** @param script maps a path to a reply */
    static ScriptedPolicyServer start(Function<String, Reply> script) {
        try {
            var certificate = ServingCertificate.forNames("127.0.0.1");
            var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            var scripted = new ScriptedPolicyServer(server, certificate);
            server.setHttpsConfigurator(new HttpsConfigurator(certificate.sslContext()));
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/", exchange -> scripted.respond(exchange, script));
            server.start();
            return scripted;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void respond(HttpExchange exchange, Function<String, Reply> script) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            bodies.put(path, exchange.getRequestBody().readAllBytes());
            calls.computeIfAbsent(path, _ -> new AtomicInteger()).incrementAndGet();
            var reply = script.apply(path);
            var bytes = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    String url() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    String caBundle() {
        return certificate.certificatePem();
    }

    int calls(String path) {
        return calls.getOrDefault(path, new AtomicInteger()).get();
    }

    int calls() {
        return calls.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    /** Returns the last review that was sent to a path. */
    JsonNode lastReview(String path) {
        return AuditFixture.tree(
                new String(Objects.requireNonNull(bodies.get(path), "never asked: " + path), StandardCharsets.UTF_8));
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
