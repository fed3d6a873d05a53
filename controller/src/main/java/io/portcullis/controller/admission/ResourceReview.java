package io.portcullis.controller.admission;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.process.http.HttpProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The request of an AdmissionReview, reduced to the fields that we need.
 *
 * @param apiVersion of the review, used for the answer
 * @param object absent on deletion
 * @param old absent on creation
 */
public record ResourceReview(
        String apiVersion,
        String uid,
        Operation operation,
        String name,
        User user,
        Optional<ObjectNode> object,
        Optional<ObjectNode> old) {

    /** The operation on the object. */
    public enum Operation {
        CREATE,
        UPDATE,
        DELETE
    }

    /** The user who sent the request. */
    public record User(String name, String uid, List<String> groups, Map<String, List<String>> extra) {}

    private static final List<String> VERSIONS = List.of("admission.k8s.io/v1", "admission.k8s.io/v1beta1");

    /** Rejects content after the end of the object. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** @throws HttpProblem 400 when this is not an AdmissionReview with a request */
    public static ResourceReview read(byte[] body) {
        var review = tree(body);
        var apiVersion = review.path("apiVersion").asText();
        if (!review.path("kind").asText().equals("AdmissionReview") || !VERSIONS.contains(apiVersion)) {
            throw new HttpProblem(400, "expected an AdmissionReview of admission.k8s.io/v1 or v1beta1");
        }
        if (!(review.path("request") instanceof ObjectNode request)) {
            throw new HttpProblem(400, "the AdmissionReview has no request");
        }
        var uid = request.path("uid").asText();
        if (uid.isEmpty()) {
            throw new HttpProblem(400, "the request has no uid");
        }
        var read = new ResourceReview(
                apiVersion,
                uid,
                operation(request.path("operation").asText()),
                request.path("name").asText(),
                user(request.path("userInfo")),
                object(request.path("object")),
                object(request.path("oldObject")));
        read.requireObjects();
        return read;
    }

    private void requireObjects() {
        boolean isComplete = switch (operation) {
            case CREATE -> object.isPresent();
            case UPDATE -> object.isPresent() && old.isPresent();
            case DELETE -> old.isPresent();
        };
        if (!isComplete) {
            throw new HttpProblem(400, "the request to " + operation + " does not carry the object");
        }
    }

    private static JsonNode tree(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (JacksonException e) {
            throw new HttpProblem(400, "the body is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new HttpProblem(400, "the body cannot be read");
        }
    }

    private static Operation operation(String name) {
        return switch (name) {
            case "CREATE" -> Operation.CREATE;
            case "UPDATE" -> Operation.UPDATE;
            case "DELETE" -> Operation.DELETE;
            default -> throw new HttpProblem(400, "unexpected operation '" + name + "'");
        };
    }

    private static User user(JsonNode info) {
        var extra = new TreeMap<String, List<String>>();
        info.path("extra").properties().forEach(entry -> extra.put(entry.getKey(), texts(entry.getValue())));
        return new User(info.path("username").asText(), info.path("uid").asText(), texts(info.path("groups")), extra);
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static Optional<ObjectNode> object(JsonNode node) {
        return node instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
    }

    /**
     * Converts an object to its type.
     *
     * @throws HttpProblem 400 when the object is not of that type, which the schema prevents
     */
    public static <T> T as(Optional<ObjectNode> object, Class<T> type) {
        try {
            return MAPPER.treeToValue(object.orElseThrow(() -> new HttpProblem(400, "the object is missing")), type);
        } catch (JsonProcessingException e) {
            throw new HttpProblem(400, "the object is no " + type.getSimpleName() + ": " + e.getOriginalMessage());
        }
    }
}
