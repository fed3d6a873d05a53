package io.portcullis.matching;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The attributes of an admission request that webhooks match.
 *
 * @param subResource empty for the resource itself
 * @param namespace empty for cluster-scoped objects; for a namespace object its own name, or empty
 * @param request the whole request, with {@code object} and {@code oldObject}
 */
public record AdmissionAttributes(
        String group,
        String version,
        String resource,
        String subResource,
        String operation,
        String namespace,
        JsonNode request) {

    /** The API server calls no webhooks for resources of this group. */
    public static final String EXEMPT_GROUP = "admissionregistration.k8s.io";

    private static final String NAMESPACES = "namespaces";

    /** @param request the {@code request} of an AdmissionReview */
    public static AdmissionAttributes of(JsonNode request) {
        var resource = request.path("resource");
        return new AdmissionAttributes(
                resource.path("group").asText(),
                resource.path("version").asText(),
                resource.path("resource").asText(),
                text(request.path("subResource")),
                request.path("operation").asText(),
                text(request.path("namespace")),
                request);
    }

    private static String text(JsonNode node) {
        return node.isTextual() ? node.textValue() : "";
    }

    /** Returns the object after the change, if there is one. */
    public Optional<JsonNode> object() {
        return present("object");
    }

    /** Returns the object before the change, if there is one. */
    public Optional<JsonNode> oldObject() {
        return present("oldObject");
    }

    private Optional<JsonNode> present(String field) {
        return Optional.ofNullable(request.get(field)).filter(node -> !node.isNull());
    }

    /** Returns whether the request is about a namespace object. Such an object is cluster-scoped. */
    boolean isAboutNamespaceObject() {
        return group.isEmpty() && resource.equals(NAMESPACES);
    }

    /** Returns whether the object is in a namespace. */
    public boolean isNamespaced() {
        return !namespace.isEmpty() && !isAboutNamespaceObject();
    }

    /** Returns the labels of an object. */
    public static Map<String, String> labels(JsonNode object) {
        var labels = new TreeMap<String, String>();
        object.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }
}
