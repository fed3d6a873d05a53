package io.portcullis.kwctl.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.kwctl.cli.CommandException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Applies the JSON Patch of a policy to an object. Supports add, replace and remove, the only operations in our patches. */
public final class PatchedObject {

    private PatchedObject() {}

    /** @throws CommandException when the patch does not match the object */
    public static JsonNode of(JsonNode object, byte[] patch) {
        var current = object.deepCopy();
        for (var operation : operations(patch)) {
            var path = operation.path("path").asText();
            if (path.isEmpty()) {
                current = operation.path("value").deepCopy();
            } else {
                change(current, operation, path);
            }
        }
        return current;
    }

    private static JsonNode operations(byte[] patch) {
        try {
            return new JsonMapper().readTree(new String(patch, StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw new CommandException("the policy's patch is not JSON", e);
        }
    }

    private static void change(JsonNode root, JsonNode operation, String path) {
        List<String> keys = Arrays.stream(path.substring(1).split("/", -1))
                .map(key -> key.replace("~1", "/").replace("~0", "~"))
                .toList();
        var parent = root;
        for (var key : keys.subList(0, keys.size() - 1)) {
            parent = parent instanceof ArrayNode array ? array.path(index(array, key)) : parent.path(key);
        }
        var done = switch (parent) {
            case ObjectNode object -> inObject(object, keys.getLast(), operation);
            case ArrayNode array -> inArray(array, index(array, keys.getLast()), operation);
            default -> false;
        };
        if (!done) {
            throw new CommandException("the policy's patch does not fit: " + operation);
        }
    }

    private static boolean inObject(ObjectNode object, String key, JsonNode operation) {
        return switch (operation.path("op").asText()) {
            case "add" -> {
                object.set(key, operation.path("value"));
                yield true;
            }
            case "replace" -> object.replace(key, operation.path("value")) != null;
            case "remove" -> object.remove(key) != null;
            default -> false;
        };
    }

    private static boolean inArray(ArrayNode array, int index, JsonNode operation) {
        if (index < 0 || index > array.size()) {
            return false;
        }
        return switch (operation.path("op").asText()) {
            case "add" -> {
                array.insert(index, operation.path("value"));
                yield true;
            }
            case "replace" -> index < array.size() && array.set(index, operation.path("value")) != null;
            case "remove" -> array.remove(index) != null;
            default -> false;
        };
    }

    /** Returns the index in the list. {@code -} is the position after the last element; other non-numbers are invalid. */
    private static int index(ArrayNode array, String key) {
        if (key.equals("-")) {
            return array.size();
        }
        return key.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(key) : -1;
    }
}
