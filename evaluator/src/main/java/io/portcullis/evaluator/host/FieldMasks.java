package io.portcullis.evaluator.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of Kubernetes objects that a policy requests, as dotted paths. Lists are transparent. The last segment of
 * a path selects everything below it. {@code apiVersion}, {@code kind} and {@code metadata} are always kept whole.
 */
public final class FieldMasks {

    private final Node root;

    private FieldMasks(Node root) {
        this.root = root;
    }

    public static FieldMasks of(List<String> paths) {
        var root = new Node(new HashMap<>());
        for (var path : paths) {
            var node = root;
            for (var key : path.split("\\.", -1)) {
                node = node.children.computeIfAbsent(key, _ -> new Node(new HashMap<>()));
            }
        }
        return new FieldMasks(root);
    }

    /**
     * Returns a copy of the object without the fields that were not requested; {@code object} itself stays unchanged.
     */
    public ObjectNode apply(ObjectNode object) {
        if (root.children.isEmpty()) {
            return object;
        }
        var kept = object.objectNode();
        object.properties().forEach(field -> {
            if (isAlwaysKept(field.getKey())) {
                kept.set(field.getKey(), field.getValue());
            } else {
                var child = root.children.get(field.getKey());
                if (child != null) {
                    kept.set(field.getKey(), prune(field.getValue(), child));
                }
            }
        });
        return kept;
    }

    private static boolean isAlwaysKept(String key) {
        return key.equals("apiVersion") || key.equals("kind") || key.equals("metadata");
    }

    private static JsonNode prune(JsonNode value, Node node) {
        if (node.children.isEmpty()) {
            return value;
        }
        if (value instanceof ObjectNode object) {
            var kept = object.objectNode();
            object.properties().forEach(field -> {
                var child = node.children.get(field.getKey());
                if (child != null) {
                    kept.set(field.getKey(), prune(field.getValue(), child));
                }
            });
            return kept;
        }
        if (value instanceof ArrayNode list) {
            var kept = list.arrayNode(list.size());
            list.forEach(item -> kept.add(prune(item, node)));
            return kept;
        }
        return value;
    }

    private record Node(Map<String, Node> children) {}
}
