package io.portcullis.process.probe;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.portcullis.process.http.Answers;
import io.portcullis.process.http.Listener;
import io.portcullis.process.http.ListenerLimits;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The plain HTTP port for probes and metrics. It has its own platform threads, so that it responds while the process is overloaded. {@link
 * ListenerLimits#PROBES} bounds connections and thereby threads. {@link #start} opens the port of a policy server; {@link #health} and {@link
 * #metrics} open the ports of a controller.
 */
public final class ProbeServer implements AutoCloseable {

    private static final Header ALLOW_GET = HeaderValues.createCached(HeaderNames.ALLOW, "GET,HEAD");
    private static final Header METRICS_TEXT =
            HeaderValues.createCached(HeaderNames.CONTENT_TYPE, PrometheusText.CONTENT_TYPE);

    private final Listener listener;

    /** The resource at a path. */
    private sealed interface Page {

        /** Status 200 or 503. */
        record Status(BooleanSupplier isWell) implements Page {}

        record Text(Metrics metrics) implements Page {}
    }

    private ProbeServer(InetSocketAddress address, Map<String, Page> pages) {
        listener = new Listener(
                address,
                Optional.empty(),
                ListenerLimits.PROBES,
                Duration.ZERO,
                (request, response) -> answer(pages, request, response),
                new Metrics(), // the metrics of this port are not exported
                Thread.ofPlatform().name("probe-", 0).daemon().factory());
    }

    /**
     * Serves {@code /readiness}, {@code /liveness} (also {@code /livez}) and {@code /metrics}.
     *
     * @throws java.io.UncheckedIOException when the address cannot be bound
     */
    public static ProbeServer start(
            InetSocketAddress address, BooleanSupplier ready, BooleanSupplier alive, Metrics metrics) {
        var pages = new LinkedHashMap<String, Page>();
        pages.put("/readiness", new Page.Status(ready));
        pages.put("/liveness", new Page.Status(alive));
        pages.put("/livez", new Page.Status(alive));
        pages.put("/metrics", new Page.Text(metrics));
        return new ProbeServer(address, pages);
    }

    /**
     * Serves {@code /readyz} and {@code /healthz}.
     *
     * @throws java.io.UncheckedIOException when the address cannot be bound
     */
    public static ProbeServer health(InetSocketAddress address, BooleanSupplier ready, BooleanSupplier healthy) {
        return new ProbeServer(
                address, Map.of("/readyz", new Page.Status(ready), "/healthz", new Page.Status(healthy)));
    }

    /**
     * Serves {@code /metrics}.
     *
     * @throws java.io.UncheckedIOException when the address cannot be bound
     */
    public static ProbeServer metrics(InetSocketAddress address, Metrics metrics) {
        return new ProbeServer(address, Map.of("/metrics", new Page.Text(metrics)));
    }

    public int port() {
        return listener.port();
    }

    private static void answer(Map<String, Page> pages, ServerRequest request, ServerResponse response) {
        var page = pages.get(request.prologue().uriPath().rawPathNoParams());
        var method = request.prologue().method();
        if (page == null) {
            Answers.status(request, response, 404);
        } else if (!method.equals(Method.GET) && !method.equals(Method.HEAD)) {
            response.header(ALLOW_GET);
            Answers.status(request, response, 405);
        } else {
            switch (page) {
                case Page.Status(var isWell) -> Answers.status(request, response, isWell.getAsBoolean() ? 200 : 503);
                case Page.Text(var metrics) ->
                    response.header(METRICS_TEXT)
                            .send(PrometheusText.render(metrics).getBytes(StandardCharsets.UTF_8));
            }
        }
        Answers.closeIfRequested(request, response);
    }

    @Override
    public void close() {
        listener.close();
    }
}
