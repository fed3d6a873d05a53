package io.portcullis.capabilities.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.evaluator.host.HostCallException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Sends requests to the API server and returns the response as unchanged JSON. Calls block. */
record ApiClient(KubernetesClient client) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Returns the response; empty when the API server responds with 404. */
    Optional<String> get(String path) {
        try {
            return Optional.ofNullable(client.raw(path));
        } catch (KubernetesClientException e) {
            if (e.getCode() == 404) {
                return Optional.empty();
            }
            throw failure(e);
        }
    }

    Optional<JsonNode> getTree(String path) {
        return get(path).map(ApiClient::tree);
    }

    JsonNode post(String path, Object body) {
        try {
            return tree(client.raw(path, "POST", body));
        } catch (KubernetesClientException e) {
            throw failure(e);
        }
    }

    /** Converts an error. The message of the API server is kept, because it names the user and the forbidden action. */
    static HostCallException failure(KubernetesClientException e) {
        var status = e.getStatus();
        var text = status != null && status.getMessage() != null ? status.getMessage() : String.valueOf(e.getMessage());
        return new HostCallException(text, e);
    }

    static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static JsonNode tree(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new HostCallException("the API server returned a response that is not JSON", e);
        }
    }
}
