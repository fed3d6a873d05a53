package io.portcullis.evaluator.rego.builtin.schema;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.BooleanValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keywords of one schema, with access by type. A value of the wrong type gives the same error as in OPA. */
record SchemaKeywords(ObjectValue object) {

    @Nullable
    RegoValue get(String key) {
        return object.fields().get(RegoValue.of(key));
    }

    @Nullable
    String string(String key) {
        return switch (get(key)) {
            case null -> null;
            case StringValue(var text) -> text;
            case RegoValue _ -> throw SchemaException.wrongType("string", key);
        };
    }

    @Nullable
    BigDecimal number(String key) {
        return switch (get(key)) {
            case null -> null;
            case NumberValue number -> number.value();
            case RegoValue _ -> throw new SchemaException(key + " must be of a Number");
        };
    }

    /** Returns a count: an integer of at least 0, in integer notation. */
    @Nullable
    Long count(String key) {
        var value = get(key);
        if (value == null) {
            return null;
        }
        if (!(value instanceof NumberValue number) || !number.text().matches("-?\\d{1,18}")) {
            throw new SchemaException(key + " must be of an integer");
        }
        long count = Long.parseLong(number.text());
        if (count < 0) {
            throw new SchemaException(key + " must be greater than or equal to 0");
        }
        return count;
    }

    boolean flag(String key) {
        return switch (get(key)) {
            case null -> false;
            case BooleanValue(var flag) -> flag;
            case RegoValue _ -> throw new SchemaException(key + " must be of a boolean");
        };
    }

    @Nullable
    List<RegoValue> list(String key) {
        return switch (get(key)) {
            case null -> null;
            case ArrayValue(var items) -> items;
            case RegoValue _ -> throw new SchemaException(key + " must be of an array");
        };
    }

    /** Returns a map of names to values; {@code what} names the keyword in the message. */
    Map<RegoValue, RegoValue> map(String key, String what) {
        return switch (get(key)) {
            case null -> Map.of();
            case ObjectValue(var fields) -> fields;
            case RegoValue _ -> throw new SchemaException(what + " must be of type object");
        };
    }

    static String text(RegoValue key) {
        return key instanceof StringValue(var text) ? text : key.toString();
    }
}
