package io.portcullis.audit.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Plain requests to the API server, as bytes and trees; no typed objects, because the scanner must read kinds it never
 * heard of. Blocks. Safe for use by many threads.
 */
public final class ApiServer {

    /** Fewer than the streams that an API server grants one connection. */
    private static final int AT_ONCE = 48;

    private static final String JSON = "application/json";
    private static final JsonMapper MAPPER = new JsonMapper();

    private final KubernetesClient client;
    private final String root;
    private final Semaphore slots = new Semaphore(AT_ONCE);

    public ApiServer(KubernetesClient client) {
        this.client = client;
        var url = client.getMasterUrl().toString();
        this.root = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** @throws ApiException also when there is no such thing */
    public byte[] get(String path) {
        return send(request(path).header("Accept", JSON).build());
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

    private byte[] send(HttpRequest request) {
        slots.acquireUninterruptibly();
        try {
            var response =
                    client.getHttpClient().sendAsync(request, byte[].class).get();
            if (!response.isSuccessful()) {
                throw refusal(request, response);
            }
            return response.body();
        } catch (ExecutionException e) {
            var cause = e.getCause() == null ? e : e.getCause();
            throw new ApiException(
                    ApiException.UNREACHABLE,
                    request.method() + " " + request.uri().getPath() + ": " + cause.getMessage(),
                    cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ApiException.UNREACHABLE, "interrupted", e);
        } finally {
            slots.release();
        }
    }

    private static ApiException refusal(HttpRequest request, HttpResponse<byte[]> response) {
        var fallback = request.method() + " " + request.uri().getPath() + " was answered with " + response.code();
        try {
            var status = MAPPER.readTree(response.body());
            return new ApiException(
                    response.code(),
                    status.path("message").asText(fallback),
                    status.path("metadata").path("continue").asText(""),
                    null);
        } catch (IOException e) {
            return new ApiException(response.code(), fallback, e);
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
