package io.portcullis.process.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.process.kubernetes.EventWriter.Repetition;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventWriterTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2025-01-01T00:00:00.5Z"));
    private final HttpServer server;
    private final KubernetesClient client;
    /** The stored Events by path; those with a generated name have a number. */
    private final Map<String, JsonNode> stored = Collections.synchronizedMap(new HashMap<>());

    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean isForbidden;

    EventWriterTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .withHttpClientFactory(new BlockingHttpFactory())
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            var body = MAPPER.readTree(exchange.getRequestBody().readAllBytes());
            requests.add(exchange.getRequestMethod() + " " + path);
            switch (exchange.getRequestMethod()) {
                case "POST" -> {
                    var name = body.path("metadata").path("name").asText("generated-" + stored.size());
                    boolean isNew = !isForbidden && stored.putIfAbsent(path + "/" + name, body) == null;
                    answer(exchange, isForbidden ? 403 : isNew ? 201 : 409, body);
                }
                case "PUT" -> {
                    stored.put(path, body);
                    answer(exchange, 200, body);
                }
                default -> answer(exchange, 200, Objects.requireNonNull(stored.get(path)));
            }
        }
    }

    private static void answer(HttpExchange exchange, int status, JsonNode object) throws IOException {
        var bytes = (status < 300
                        ? object.toString()
                        : "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":" + status + "}")
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private EventWriter writer(Repetition repetition) {
        return new EventWriter(client, new EventSource("us", "pod-1"), repetition, now::get);
    }

    private static HasMetadata clusterWide() {
        return new NamespaceBuilder()
                .withNewMetadata()
                .withName("wide")
                .withUid("u")
                .endMetadata()
                .build();
    }

    private JsonNode onlyEvent() {
        assertThat(stored).hasSize(1);
        return stored.values().iterator().next();
    }

    @Test
    void writesAnEventAboutAClusterWideObjectInNamespaceDefault() {
        var events = writer(Repetition.COUNTED);
        events.write(clusterWide(), true, "Broken", "it broke");
        events.close(LIMIT);

        assertThat(requests).containsExactly("POST /api/v1/namespaces/default/events");
        var event = onlyEvent();
        assertThat(event.at("/metadata/name").asText()).matches("wide\\.[0-9a-f]{16}");
        assertThat(event.at("/type").asText()).isEqualTo("Warning");
        assertThat(event.at("/reason").asText()).isEqualTo("Broken");
        assertThat(event.at("/message").asText()).isEqualTo("it broke");
        assertThat(event.at("/count").asInt()).isEqualTo(1);
        assertThat(event.at("/firstTimestamp").asText()).isEqualTo("2025-01-01T00:00:00Z");
        assertThat(event.at("/source").toString()).isEqualTo("{\"component\":\"us\",\"host\":\"pod-1\"}");
        assertThat(event.at("/involvedObject/kind").asText()).isEqualTo("Namespace");
        assertThat(event.at("/involvedObject/uid").asText()).isEqualTo("u");
    }

    @Test
    void writesAnEventAboutANamespacedObjectInItsNamespace() {
        var events = writer(Repetition.COUNTED);
        var secret = new SecretBuilder()
                .withNewMetadata()
                .withNamespace("tenant")
                .withName("one")
                .endMetadata()
                .build();
        events.write(secret, false, "Made", "made it");
        events.close(LIMIT);

        assertThat(requests).containsExactly("POST /api/v1/namespaces/tenant/events");
        assertThat(onlyEvent().at("/type").asText()).isEqualTo("Normal");
    }

    @Test
    void countsARepeatedEvent() {
        var events = writer(Repetition.COUNTED);
        for (int i = 0; i < 3; i++) {
            events.write(clusterWide(), true, "Broken", "it broke");
            now.updateAndGet(time -> time.plusSeconds(1));
        }
        events.close(LIMIT);

        assertThat(onlyEvent().at("/count").asInt()).isEqualTo(3);
        assertThat(onlyEvent().at("/firstTimestamp").asText()).isEqualTo("2025-01-01T00:00:00Z");
        assertThat(onlyEvent().at("/lastTimestamp").asText()).isEqualTo("2025-01-01T00:00:02Z");
    }

    @Test
    void limitsARepeatedEventToOneInTenMinutes() {
        var events = writer(Repetition.LIMITED);
        events.write(clusterWide(), true, "Broken", "it broke");
        events.write(clusterWide(), true, "Broken", "it broke");
        events.write(clusterWide(), true, "Broken", "something else broke");
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(10)));
        events.write(clusterWide(), true, "Broken", "it broke");
        events.close(LIMIT);

        assertThat(requests).hasSize(3).allMatch("POST /api/v1/namespaces/default/events"::equals);
        assertThat(stored.values()).allSatisfy(event -> {
            assertThat(event.at("/metadata/generateName").asText()).isEqualTo("wide.");
            assertThat(event.at("/metadata/name").isMissingNode()).isTrue();
        });
    }

    @Test
    void writesAnEventThatRepeatsAllTheTimeEveryTenMinutes() {
        var events = writer(Repetition.LIMITED);
        for (int minute = 0; minute <= 20; minute += 5) {
            events.write(clusterWide(), true, "Broken", "it broke");
            now.updateAndGet(time -> time.plus(Duration.ofMinutes(5)));
        }
        events.close(LIMIT);

        assertThat(requests).as("after 0, 10 and 20 minutes").hasSize(3);
    }

    @Test
    void limitsTheEventsOfEachObjectApart() {
        var events = writer(Repetition.LIMITED);
        var other = clusterWide();
        other.getMetadata().setUid("another-uid");
        events.write(clusterWide(), true, "Broken", "it broke");
        events.write(other, true, "Broken", "it broke");
        events.close(LIMIT);

        assertThat(requests).hasSize(2);
    }

    @Test
    void shortensALongMessage() {
        var events = writer(Repetition.COUNTED);
        events.write(clusterWide(), true, "Broken", "x".repeat(5000));
        events.close(LIMIT);

        assertThat(onlyEvent().at("/message").asText()).hasSize(1024).endsWith("x…");
    }

    @Test
    void continuesAfterAFailedWrite() {
        var events = writer(Repetition.COUNTED);
        isForbidden = true;
        events.write(clusterWide(), true, "Broken", "it broke");
        events.close(LIMIT);
        assertThat(requests).hasSize(1);
        assertThat(stored).isEmpty();

        isForbidden = false;
        var next = writer(Repetition.COUNTED);
        next.write(
                () -> {
                    throw new KubernetesClientException("gone");
                },
                true,
                "Broken",
                "it broke");
        next.write(clusterWide(), true, "Broken", "it broke again");
        next.close(LIMIT);
        assertThat(onlyEvent().at("/message").asText()).isEqualTo("it broke again");
    }
}
