package io.portcullis.matching;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.values.NullValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The CEL variables of a request, as the API server sets them.
 *
 * @param unknown fields of {@code request} that the API server always sets, and that are missing here
 */
record ConditionVariables(Map<String, Object> values, List<String> unknown) {

    static final String OBJECT = "object";
    static final String OLD_OBJECT = "oldObject";
    static final String REQUEST = "request";

    /** Fields of an AdmissionRequest that the variable {@code request} does not have. */
    private static final Set<String> EXCLUDED = Set.of("uid", OBJECT, OLD_OBJECT);

    /** The API server leaves these fields out when they are empty, so that {@code has(request.namespace)} is false. */
    private static final Set<String> OMITTED_IF_EMPTY =
            Set.of("name", "namespace", "subResource", "requestSubResource");

    private static final List<String> ALWAYS_SET = List.of("userInfo", "options");

    static ConditionVariables of(AdmissionAttributes attributes) {
        var request = attributes.request();
        var fields = new LinkedHashMap<String, Object>();
        request.properties().stream()
                .filter(field -> !EXCLUDED.contains(field.getKey()) && !isOmitted(field.getKey(), field.getValue()))
                .forEach(field -> fields.put(field.getKey(), value(field.getValue())));
        return new ConditionVariables(
                Map.of(
                        OBJECT, value(request.path(OBJECT)),
                        OLD_OBJECT, value(request.path(OLD_OBJECT)),
                        REQUEST, fields),
                ALWAYS_SET.stream().filter(field -> !fields.containsKey(field)).toList());
    }

    private static boolean isOmitted(String field, JsonNode value) {
        return value.isNull()
                || (OMITTED_IF_EMPTY.contains(field) && value.asText().isEmpty());
    }

    /** Converts JSON to CEL values. As in the API server, an integer beyond 64 bits becomes a double. */
    private static Object value(JsonNode json) {
        return switch (json.getNodeType()) {
            case OBJECT -> {
                var map = new LinkedHashMap<String, Object>();
                json.properties().forEach(field -> map.put(field.getKey(), value(field.getValue())));
                yield map;
            }
            case ARRAY -> {
                var list = new ArrayList<>(json.size());
                json.forEach(element -> list.add(value(element)));
                yield list;
            }
            case STRING -> json.textValue();
            case BOOLEAN -> json.booleanValue();
            case NUMBER ->
                json.isIntegralNumber() && json.canConvertToLong()
                        ? (Object) json.longValue()
                        : (Object) json.doubleValue();
            case NULL, MISSING, BINARY, POJO -> NullValue.NULL_VALUE;
        };
    }
}
