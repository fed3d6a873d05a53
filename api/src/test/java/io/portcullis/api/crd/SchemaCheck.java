package io.portcullis.api.crd;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The part of OpenAPI validation that the CRDs use. It also rejects fields that an API server would prune. */
final class SchemaCheck {

    private SchemaCheck() {}

    static List<String> errors(String path, JsonNode value, JsonNode schema) {
        var errors = new ArrayList<String>();
        check(path, value, schema, errors);
        return errors;
    }

    private static void check(String path, JsonNode value, JsonNode schema, List<String> errors) {
        if (value.isNull() && schema.path("nullable").asBoolean()) {
            return;
        }
        if (!hasType(value, schema)) {
            errors.add(path + ": " + value + " is not of type " + schema.path("type"));
            return;
        }
        if (schema.has("enum") && !contains(schema.path("enum"), value)) {
            errors.add(path + ": " + value + " is none of " + schema.path("enum"));
        }
        if (schema.has("minimum") && value.asLong() < schema.path("minimum").asLong()) {
            errors.add(path + ": below the minimum");
        }
        if (schema.has("maximum") && value.asLong() > schema.path("maximum").asLong()) {
            errors.add(path + ": above the maximum");
        }
        if (schema.has("pattern")
                && !Pattern.compile(schema.path("pattern").asText())
                        .matcher(value.asText())
                        .find()) {
            errors.add(path + ": does not match " + schema.path("pattern").asText());
        }
        for (JsonNode required : schema.path("required")) {
            if (!value.has(required.asText())) {
                errors.add(path + "." + required.asText() + ": required");
            }
        }
        checkChildren(path, value, schema, errors);
    }

    private static void checkChildren(String path, JsonNode value, JsonNode schema, List<String> errors) {
        if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                check(path + "[" + i + "]", value.path(i), schema.path("items"), errors);
            }
        }
        if (!value.isObject() || path.equals("metadata")) {
            return;
        }
        value.properties().forEach(field -> {
            var child = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
            if (schema.path("properties").has(field.getKey())) {
                check(child, field.getValue(), schema.path("properties").path(field.getKey()), errors);
            } else if (schema.path("additionalProperties").isObject()) {
                check(child, field.getValue(), schema.path("additionalProperties"), errors);
            } else if (!schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
                errors.add(child + ": unknown field");
            }
        });
    }

    private static boolean hasType(JsonNode value, JsonNode schema) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            return value.isIntegralNumber() || value.isTextual();
        }
        return switch (schema.path("type").asText()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "boolean" -> value.isBoolean();
            case "integer" -> value.isIntegralNumber();
            default -> false;
        };
    }

    private static boolean contains(JsonNode values, JsonNode value) {
        for (JsonNode candidate : values) {
            if (candidate.equals(value)) {
                return true;
            }
        }
        return false;
    }
}
