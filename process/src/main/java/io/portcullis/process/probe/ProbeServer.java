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
 * Tells in plain HTTP how a process is doing, on threads of its own so that it answers while the work is overloaded. What
 * is asked for where differs: {@link #start} is a policy server's port, {@link #health} and {@link #metrics} are those of
 * a controller.
 */
public final class ProbeServer implements AutoCloseable {

    private final HttpServer server;

    private ProbeServer(InetSocketAddress address) throws IOException {
        server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().name("probe-", 0).daemon().factory()));
        server.createContext("/", exchange -> answer(exchange, 404));
    }

    /**
     * {@code /readiness}, {@code /liveness} (also {@code /livez}) and {@code /metrics}.
     *
     * @throws IOException when the address cannot be bound
     */
    public static ProbeServer start(InetSocketAddress address, BooleanSupplier ready, Metrics metrics)
            throws IOException {
        return new ProbeServer(address)
                .answering("/readiness", ready)
                .answering("/liveness", () -> true)
                .answering("/livez", () -> true)
                .telling(metrics)
                .started();
    }

    /**
     * {@code /readyz} and {@code /healthz}.
     *
     * @throws IOException when the address cannot be bound
     */
    public static ProbeServer health(InetSocketAddress address, BooleanSupplier ready, BooleanSupplier healthy)
            throws IOException {
        return new ProbeServer(address)
                .answering("/readyz", ready)
                .answering("/healthz", healthy)
                .started();
    }

    /**
     * {@code /metrics}.
     *
     * @throws IOException when the address cannot be bound
     */
    public static ProbeServer metrics(InetSocketAddress address, Metrics metrics) throws IOException {
        return new ProbeServer(address).telling(metrics).started();
    }

    private ProbeServer answering(String path, BooleanSupplier well) {
        server.createContext(path, exchange -> get(exchange, path, well.getAsBoolean() ? 200 : 503));
        return this;
    }

    private ProbeServer telling(Metrics metrics) {
        server.createContext("/metrics", exchange -> page(exchange, metrics));
        return this;
    }

    private ProbeServer started() {
        server.start();
        return this;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private static void page(HttpExchange exchange, Metrics metrics) throws IOException {
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
