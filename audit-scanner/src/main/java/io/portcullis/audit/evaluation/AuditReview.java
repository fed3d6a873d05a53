package io.portcullis.audit.evaluation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.targets.AuditedType;
import io.portcullis.matching.AdmissionAttributes;
import java.util.Optional;

/**
 * Builds the AdmissionReview that simulates the creation of an existing object. One review serves all policies of an
 * object.
 *
 * @param user the user name in the review
 */
public record AuditReview(String user) {

    private static final JsonMapper MAPPER = new JsonMapper();

    /** Returns a review by the scanner's service account. */
    public static AuditReview inNamespace(String namespace) {
        return new AuditReview("system:serviceaccount:" + namespace + ":audit-scanner");
    }

    /** @param object complete, with apiVersion and kind, which list items lack */
    public byte[] body(AuditedType type, ObjectNode object) {
        var request = JsonNodeFactory.instance.objectNode();
        request.put("uid", object.path("metadata").path("uid").asText());
        request.setAll(creation(type, object));
        request.set("userInfo", userInfo());
        request.putNull("oldObject");
        var review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "admission.k8s.io/v1");
        review.put("kind", "AdmissionReview");
        review.set("request", request);
        try {
            return MAPPER.writeValueAsBytes(review);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }

    /** Returns the simulated creation for matching, without the user, because the creator is unknown. */
    public static AdmissionAttributes attributes(AuditedType type, ObjectNode object) {
        return AdmissionAttributes.of(creation(type, object));
    }

    private static ObjectNode creation(AuditedType type, ObjectNode object) {
        var request = JsonNodeFactory.instance.objectNode();
        request.set("kind", kind(type));
        request.set("resource", resource(type));
        request.set("requestKind", kind(type));
        request.set("requestResource", resource(type));
        request.put("name", object.path("metadata").path("name").asText());
        namespace(type, object).ifPresent(name -> request.put("namespace", name));
        request.put("operation", "CREATE");
        request.set("object", object);
        request.put("dryRun", true);
        return request;
    }

    /** Returns the namespace as the API server does: the namespace of a Namespace object is its own name. */
    private static Optional<String> namespace(AuditedType type, ObjectNode object) {
        var isNamespace = type.group().isEmpty() && type.resource().equals("namespaces");
        var name =
                object.path("metadata").path(isNamespace ? "name" : "namespace").asText("");
        return Optional.of(name).filter(text -> !text.isEmpty());
    }

    private static ObjectNode kind(AuditedType type) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("group", type.group())
                .put("version", type.version())
                .put("kind", type.kind());
    }

    private static ObjectNode resource(AuditedType type) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("group", type.group())
                .put("version", type.version())
                .put("resource", type.resource());
    }

    private ObjectNode userInfo() {
        var info = JsonNodeFactory.instance.objectNode();
        info.put("username", user);
        info.putArray("groups").add("system:serviceaccounts").add("system:authenticated");
        return info;
    }
}
