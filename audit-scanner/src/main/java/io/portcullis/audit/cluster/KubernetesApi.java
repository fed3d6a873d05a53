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
 * Sends untyped requests to the API server and returns bytes or JSON trees, because the scanner must read arbitrary
 * kinds. Calls block. Thread-safe.
 */
public final class KubernetesApi {

    /** Lower than the number of streams that an API server allows per connection. */
    private static final int MAX_CONCURRENT_REQUESTS = 48;

    private static final String JSON = "application/json";
    private static final JsonMapper MAPPER = new JsonMapper();

    /** Limit for responses other than object pages: discovery, single objects, errors. */
    private static final int MAX_BYTES = 32 << 20;

    /** The client's own timeouts cover only the response headers. */
    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(60);

    private final KubernetesClient client;
    private final Duration bodyTimeout;
    private final String root;
    private final Semaphore slots = new Semaphore(MAX_CONCURRENT_REQUESTS);

    public KubernetesApi(KubernetesClient client) {
        this(client, BODY_TIMEOUT);
    }

    KubernetesApi(KubernetesClient client, Duration bodyTimeout) {
        this.client = client;
        this.bodyTimeout = bodyTimeout;
        var url = client.getMasterUrl().toString();
        this.root = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** @throws ApiException also if the object does not exist */
    public byte[] get(String path) {
        return get(path, MAX_BYTES)
                .orElseThrow(() -> new ApiException(200, "the response of the API server is too large", null));
    }

    /** Returns empty if the response exceeds the limit. Such a response is not read to its end. */
    Optional<byte[]> get(String path, int maxBytes) {
        return send(request(path).header("Accept", JSON).build(), maxBytes);
    }

    public JsonNode getTree(String path) {
        return tree(get(path));
    }

    /** Applies an object server-side and forces ownership of its fields. */
    public void apply(String path, byte[] object, String fieldManager) {
        send(request(path + "?force=true&fieldManager=" + escape(fieldManager))
                .method("PATCH", "application/apply-patch+yaml", new String(object, StandardCharsets.UTF_8))
                .build());
    }

    /** Deletes an object, or a whole collection with selectors in the path. */
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
                throw rejection(request, response.code(), collector.take());
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

    /** Reads the body and always cancels it afterwards, so that the server stops sending unread data. */
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

    private static ApiException rejection(HttpRequest request, int code, byte[] body) {
        var fallback = request.method() + " " + request.uri().getPath() + " was answered with " + code;
        try {
            return ApiException.ofStatus(code, fallback, MAPPER.readTree(body));
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
