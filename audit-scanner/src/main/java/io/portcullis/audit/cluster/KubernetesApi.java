package io.portcullis.audit.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Plain requests to the API server, as bytes and trees; no typed objects, because the scanner must read kinds it never
 * heard of. Blocks. Safe for use by many threads.
 */
public final class KubernetesApi {

    /** Fewer than the streams that an API server grants one connection. */
    private static final int AT_ONCE = 48;

    private static final String JSON = "application/json";
    private static final JsonMapper MAPPER = new JsonMapper();

    /** Of answers that are no pages of objects: discovery, single objects, refusals. */
    private static final int MAX_BYTES = 32 << 20;

    /** The client's own timeouts end with the head of an answer. */
    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(60);

    private final KubernetesClient client;
    private final Duration bodyTimeout;
    private final String root;
    private final Semaphore slots = new Semaphore(AT_ONCE);

    public KubernetesApi(KubernetesClient client) {
        this(client, BODY_TIMEOUT);
    }

    KubernetesApi(KubernetesClient client, Duration bodyTimeout) {
        this.client = client;
        this.bodyTimeout = bodyTimeout;
        var url = client.getMasterUrl().toString();
        this.root = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** @throws ApiException also when there is no such thing */
    public byte[] get(String path) {
        return get(path, MAX_BYTES)
                .orElseThrow(() -> new ApiException(200, "the API server answered more than anybody asked for", null));
    }

    /** Empty when the answer has more than so many bytes; it is not read to its end then. */
    Optional<byte[]> get(String path, int maxBytes) {
        return send(request(path).header("Accept", JSON).build(), maxBytes);
    }

    public JsonNode getTree(String path) {
        return tree(get(path));
    }

    /** Server-side apply; takes over what others wrote into our fields. */
    public void apply(String path, byte[] object, String fieldManager) {
        send(request(path + "?force=true&fieldManager=" + escape(fieldManager))
                .method("PATCH", "application/apply-patch+yaml", new String(object, StandardCharsets.UTF_8))
                .build());
    }

    public void create(String path, JsonNode object) {
        send(request(path).method("POST", JSON, object.toString()).build());
    }

    /** Also of a whole collection, with selectors in the path. */
    public void delete(String path) {
        send(request(path).method("DELETE", JSON, "{}").build());
    }

    public static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private HttpRequest.Builder request(String path) {
        return client.getHttpClient().newHttpRequestBuilder().uri(root + path);
    }

    private void send(HttpRequest request) {
        var _ = send(request, MAX_BYTES);
    }

    private Optional<byte[]> send(HttpRequest request, int maxBytes) {
        slots.acquireUninterruptibly();
        try {
            var collector = new BodyCollector(maxBytes);
            var response =
                    client.getHttpClient().consumeBytes(request, collector).get();
            read(response.body(), collector);
            if (!response.isSuccessful()) {
                throw refusal(request, response.code(), collector.take());
            }
            return collector.tooLarge().isDone() ? Optional.empty() : Optional.of(collector.take());
        } catch (ExecutionException e) {
            var cause = e.getCause() == null ? e : e.getCause();
            // A refused connection has no message.
            var reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            throw unreachable(request, reason, cause);
        } catch (TimeoutException e) {
            throw unreachable(request, "the answer did not end within " + bodyTimeout.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ApiException.UNREACHABLE, "interrupted", e);
        } finally {
            slots.release();
        }
    }

    /** Whatever happens, nobody goes on sending to us what nobody takes. */
    private void read(AsyncBody body, BodyCollector collector)
            throws InterruptedException, ExecutionException, TimeoutException {
        try {
            body.consume();
            CompletableFuture.anyOf(body.done(), collector.tooLarge())
                    .get(bodyTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            body.cancel();
        }
    }

    private static ApiException unreachable(HttpRequest request, String reason, Throwable cause) {
        return new ApiException(
                ApiException.UNREACHABLE, request.method() + " " + request.uri().getPath() + ": " + reason, cause);
    }

    private static ApiException refusal(HttpRequest request, int code, byte[] body) {
        var fallback = request.method() + " " + request.uri().getPath() + " was answered with " + code;
        try {
            var status = MAPPER.readTree(body);
            return new ApiException(
                    code,
                    status.path("message").asText(fallback),
                    status.path("metadata").path("continue").asText(""),
                    null);
        } catch (IOException e) {
            return new ApiException(code, fallback, e);
        }
    }

    private static JsonNode tree(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new ApiException(200, "the API server answered something that is not JSON", e);
        } catch (IOException e) {
            throw new ApiException(200, "the API server's answer cannot be read: " + e.getMessage(), e);
        }
    }
}
