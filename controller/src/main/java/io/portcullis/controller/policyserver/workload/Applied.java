package io.portcullis.controller.policyserver.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Quantity;
import io.portcullis.api.json.CanonicalJson;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/**
 * Checks whether an object is as we last applied it, so that nothing is written when nothing changed. A digest
 * annotation shows whether the desired state has changed. If it has, another apply must remove fields that are no
 * longer wanted. A field-by-field comparison shows whether others changed the object. Fields that others added belong
 * to them.
 */
public final class Applied {

    static final String DIGEST = "kubewarden.io/applied-digest";

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Applied() {}

    /** Adds the digest of the object as an annotation. */
    static <T extends HasMetadata> T stamped(T desired) {
        var digest = digest(desired);
        var annotations = new TreeMap<String, String>();
        if (desired.getMetadata().getAnnotations() != null) {
            annotations.putAll(desired.getMetadata().getAnnotations());
        }
        annotations.put(DIGEST, digest);
        desired.getMetadata().setAnnotations(annotations);
        return desired;
    }

    /** Equal objects have equal digests, wherever they come from. */
    public static String digest(KubernetesResource object) {
        return CanonicalJson.digest(MAPPER.valueToTree(object));
    }

    /** Whether the live object still has all fields of a stamped one. */
    static boolean isIntact(HasMetadata stamped, HasMetadata live) {
        return isWithin(MAPPER.valueToTree(stamped), MAPPER.valueToTree(live));
    }

    private static boolean isWithin(JsonNode wanted, JsonNode actual) {
        return switch (wanted) {
            case ObjectNode object ->
                object.properties().stream()
                        .allMatch(field -> isEmpty(field.getValue())
                                || (actual.has(field.getKey())
                                        && isWithin(field.getValue(), actual.get(field.getKey()))));
            case ArrayNode array ->
                actual.isArray()
                        && StreamSupport.stream(array.spliterator(), false)
                                .allMatch(element -> StreamSupport.stream(actual.spliterator(), false)
                                        .anyMatch(candidate -> isWithin(element, candidate)));
            default -> wanted.equals(actual) || isSameQuantity(wanted, actual);
        };
    }

    /** Empty values do not count, because the API server drops them. */
    private static boolean isEmpty(JsonNode value) {
        return value.isNull() || (value.isContainerNode() && value.isEmpty());
    }

    /** Compares quantities by value, because the API server writes {@code 1000m} as {@code 1}. */
    private static boolean isSameQuantity(JsonNode wanted, JsonNode actual) {
        try {
            return wanted.isTextual()
                    && actual.isTextual()
                    && Quantity.parse(wanted.asText()).equals(Quantity.parse(actual.asText()));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
