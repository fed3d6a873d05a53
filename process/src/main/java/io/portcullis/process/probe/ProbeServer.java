package io.portcullis.process.probe;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * {@code /readiness}, {@code /liveness} (also {@code /livez}) and {@code /metrics} in plain HTTP, on threads of its own
 * so that it answers while the work is overloaded.
 */
public final class ProbeServer implements AutoCloseable {

    private final HttpServer server;
    private final Metrics metrics;

    private ProbeServer(HttpServer server, BooleanSupplier ready, Metrics metrics) {
        this.server = server;
        this.metrics = metrics;
        server.setExecutor(Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().name("probe-", 0).daemon().factory()));
        server.createContext("/", exchange -> answer(exchange, 404));
        server.createContext("/readiness", exchange -> get(exchange, "/readiness", ready.getAsBoolean() ? 200 : 503));
        server.createContext("/liveness", exchange -> get(exchange, "/liveness", 200));
        server.createContext("/livez", exchange -> get(exchange, "/livez", 200));
        server.createContext("/metrics", this::metrics);
    }

    /** @throws IOException when the address cannot be bound */
    public static ProbeServer start(InetSocketAddress address, BooleanSupplier ready, Metrics metrics)
            throws IOException {
        var probe = new ProbeServer(HttpServer.create(address, 0), ready, metrics);
        probe.server.start();
        return probe;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void metrics(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestURI().getPath().equals("/metrics") || !isRead(exchange)) {
            get(exchange, "/metrics", 200);
            return;
        }
        var page = PrometheusText.render(metrics).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", PrometheusText.CONTENT_TYPE);
        try (exchange) {
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
        }
    }

    private static void get(HttpExchange exchange, String path, int status) throws IOException {
        if (!exchange.getRequestURI().getPath().equals(path)) {
            answer(exchange, 404);
        } else if (!isRead(exchange)) {
            exchange.getResponseHeaders().set("Allow", "GET,HEAD");
            answer(exchange, 405);
        } else {
            answer(exchange, status);
        }
    }

    private static boolean isRead(HttpExchange exchange) {
        return switch (exchange.getRequestMethod()) {
            case "GET", "HEAD" -> true;
            default -> false;
        };
    }

    private static void answer(HttpExchange exchange, int status) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(status, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
