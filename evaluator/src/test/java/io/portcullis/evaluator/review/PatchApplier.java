package io.portcullis.evaluator.review;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Applies the three operations that {@link JsonPatch} creates, strictly according to RFC 6902. */
final class PatchApplier {

    private PatchApplier() {}

    static JsonNode apply(JsonNode document, JsonNode patch) {
        var result = document.deepCopy();
        for (var operation : patch) {
            result = applyOne(result, operation);
        }
        return result;
    }

    private static JsonNode applyOne(JsonNode document, JsonNode operation) {
        var pointer = JsonPointer.compile(operation.get("path").textValue());
        var op = operation.get("op").textValue();
        if (pointer.matches()) {
            return operation.get("value");
        }
        var parent = document.at(pointer.head());
        if (parent instanceof ObjectNode object) {
            var key = pointer.last().getMatchingProperty();
            require(object.has(key) != op.equals("add"), operation);
            if (op.equals("remove")) {
                object.remove(key);
            } else {
                object.set(key, operation.get("value"));
            }
        } else {
            var list = (ArrayNode) parent;
            int index = pointer.last().getMatchingIndex();
            switch (op) {
                case "add" -> list.insert(index, operation.get("value"));
                case "remove" -> require(list.remove(index) != null, operation);
                default -> list.set(index, operation.get("value"));
            }
        }
        return document;
    }

    private static void require(boolean holds, JsonNode operation) {
        if (!holds) {
            throw new IllegalStateException("cannot apply " + operation);
        }
    }
}
