package io.portcullis.audit.condition;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.CelOptions;
import dev.cel.common.values.NullValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts JSON to CEL values. */
final class CelValues {

    /**
     * Administrators write the expressions, which run on every object. The limits bound the cost of each evaluation.
     */
    static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .comprehensionMaxIterations(100_000)
            .build();

    static final Object NULL = NullValue.NULL_VALUE;

    private CelValues() {}

    static Object of(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                Map<String, Object> map = new LinkedHashMap<>();
                node.properties().forEach(field -> map.put(field.getKey(), of(field.getValue())));
                yield map;
            }
            case ARRAY -> {
                var list = new ArrayList<>(node.size());
                node.forEach(item -> list.add(of(item)));
                yield list;
            }
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> node.isIntegralNumber() ? (Object) node.longValue() : (Object) node.doubleValue();
            case STRING -> node.textValue();
            case NULL, MISSING, BINARY, POJO -> NULL;
        };
    }
}
