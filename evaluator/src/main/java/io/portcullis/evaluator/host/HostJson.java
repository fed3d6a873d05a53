package io.portcullis.evaluator.host;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.IOException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the JSON of host calls: snake case, unknown keys ignored, required keys enforced, no silent
 * conversions.
 */
public final class HostJson {

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final ObjectMapper SPARSE = MAPPER.copy().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

    private static final Pattern MISSING = Pattern.compile("Missing required creator property '([^']+)'");

    private HostJson() {}

    /** Describes the problem in terms of the payload, never with names of our classes. */
    private static String problem(JsonProcessingException e) {
        var missing = MISSING.matcher(e.getOriginalMessage());
        if (missing.find()) {
            return "missing field `" + missing.group(1) + "`";
        }
        if (e instanceof JsonMappingException mapping) {
            var path = mapping.getPath().stream()
                    .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                    .collect(Collectors.joining());
            return path.isEmpty() ? "invalid type" : "invalid value for `" + path.substring(1) + "`";
        }
        var location = e.getLocation();
        return location == null
                ? "invalid JSON"
                : "invalid JSON at line %d column %d".formatted(location.getLineNr(), location.getColumnNr());
    }

    /** @throws HostCallException with the problem of the payload */
    public static <T> T read(byte[] json, Class<T> type) {
        try {
            return requireValue(MAPPER.readValue(json, type));
        } catch (JsonProcessingException e) {
            throw new HostCallException(problem(e), e);
        } catch (IOException e) {
            throw new HostCallException(String.valueOf(e.getMessage()), e);
        }
    }

    /** @throws HostCallException if the tree does not have the shape of {@code type} */
    public static <T> T convert(JsonNode tree, Class<T> type) {
        try {
            return requireValue(MAPPER.treeToValue(tree, type));
        } catch (JsonProcessingException e) {
            throw new HostCallException(problem(e), e);
        }
    }

    /** Omits keys without a value. */
    public static byte[] write(Object value) {
        try {
            return SPARSE.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new HostCallException("cannot write the answer: " + e.getOriginalMessage(), e);
        }
    }

    /** Keeps keys without a value as nulls. */
    public static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    private static <T> T requireValue(@Nullable T value) {
        if (value == null) {
            throw new HostCallException("invalid type: null");
        }
        return value;
    }
}
