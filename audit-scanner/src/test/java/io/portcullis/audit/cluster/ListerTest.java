package io.portcullis.audit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests against a fake list: objects larger than a real API server accepts, and responses that never end. */
class ListerTest {

    private static final int MEBIBYTE = 1 << 20;

    private final List<Integer> limits = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;
    private KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    @AfterEach
    void stop() {
        end.countDown();
        client.close();
        server.stop(0);
        threads.shutdownNow();
    }

    /** Serves a list of objects with these sizes. Continue tokens are positions. */
    private void serve(int... sizes) {
        server.createContext("/list", exchange -> {
            try (exchange) {
                var query = Arrays.stream(exchange.getRequestURI().getQuery().split("&"))
                        .map(parameter -> parameter.split("=", 2))
                        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
                var limit = Integer.parseInt(query.getOrDefault("limit", "0"));
                var from = Integer.parseInt(query.getOrDefault("continue", "0"));
                limits.add(limit);
                page(exchange, sizes, from, Math.min(sizes.length, from + limit));
            }
        });
    }

    private static void page(HttpExchange exchange, int[] sizes, int from, int to) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        var body = exchange.getResponseBody();
        var next = to < sizes.length ? Integer.toString(to) : "";
        body.write(("{\"metadata\": {\"continue\": \"" + next + "\"}, \"items\": [").getBytes(StandardCharsets.UTF_8));
        for (var i = from; i < to; i++) {
            var comma = i == from ? "" : ",";
            body.write((comma + "{\"name\": \"" + i + "\", \"data\": \"" + "x".repeat(sizes[i]) + "\"}")
                    .getBytes(StandardCharsets.UTF_8));
        }
        body.write("]}".getBytes(StandardCharsets.UTF_8));
    }

    private List<String> names(int pageSize) {
        var names = new ArrayList<String>();
        new Lister(new KubernetesApi(client), pageSize)
                .list("/list", object -> names.add(object.path("name").asText()));
        return names;
    }

    private static List<String> upTo(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    @Test
    void readsSmallObjectsInFullPages() {
        serve(IntStream.generate(() -> 1000).limit(250).toArray());

        assertThat(names(100)).isEqualTo(upTo(250));
        assertThat(limits).containsExactly(100, 100, 100);
    }

    @Test
    void retriesPagesOfLargeObjectsWithASmallerLimit() {
        serve(IntStream.generate(() -> MEBIBYTE).limit(40).toArray());

        assertThat(names(100)).isEqualTo(upTo(40));
        assertThat(limits).startsWith(100, 25, 6, 3).doesNotContain(0);
        assertThat(limits.subList(2, limits.size())).allMatch(limit -> limit <= 6);
    }

    @Test
    void growsPagesAgainAfterLargeObjects() {
        serve(IntStream.range(0, 300).map(i -> i < 20 ? MEBIBYTE : 10).toArray());

        assertThat(names(100)).isEqualTo(upTo(300));
        assertThat(limits).contains(12, 24, 48);
    }

    @Test
    void readsAnObjectLargerThanAPageAndRejectsAHugeOne() {
        serve(10, PageSize.MAX_PAGE_BYTES + 1, 10);
        assertThat(names(2)).isEqualTo(upTo(3));

        server.removeContext("/list");
        serve(10, PageSize.MAX_OBJECT_BYTES + 1, 10);
        assertThatThrownBy(() -> names(2))
                .isInstanceOf(ApiException.class)
                .hasMessage("an object is larger than 32 MiB");
    }

    @Test
    void timesOutOnAResponseThatDoesNotEnd() {
        server.createContext("/list", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("{\"items\": [".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            awaitEnd();
        });
        var lister = new Lister(new KubernetesApi(client, Duration.ofSeconds(1)), 10);

        assertThatThrownBy(() -> lister.list("/list", _ -> {}))
                .isInstanceOf(ApiException.class)
                .hasMessage("GET /list: the answer did not end within 1 s");
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
