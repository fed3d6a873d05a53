package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.Value;
import io.portcullis.evaluator.rego.value.Value.ArrayValue;
import io.portcullis.evaluator.rego.value.Value.BooleanValue;
import io.portcullis.evaluator.rego.value.Value.NumberValue;
import io.portcullis.evaluator.rego.value.Value.ObjectValue;
import io.portcullis.evaluator.rego.value.Value.StringValue;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keywords of one schema, read by type; a value of the wrong type is refused as OPA refuses it. */
record SchemaKeywords(ObjectValue object) {

    @Nullable
    Value get(String key) {
        return object.fields().get(Value.of(key));
    }

    @Nullable
    String string(String key) {
        return switch (get(key)) {
            case null -> null;
            case StringValue(var text) -> text;
            case Value _ -> throw SchemaException.wrongType("string", key);
        };
    }

    @Nullable
    BigDecimal number(String key) {
        return switch (get(key)) {
            case null -> null;
            case NumberValue number -> number.value();
            case Value _ -> throw new SchemaException(key + " must be of a Number");
        };
    }

    /** A count: an integer, written as one, of at least 0. */
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
            case Value _ -> throw new SchemaException(key + " must be of a boolean");
        };
    }

    @Nullable
    List<Value> list(String key) {
        return switch (get(key)) {
            case null -> null;
            case ArrayValue(var items) -> items;
            case Value _ -> throw new SchemaException(key + " must be of an array");
        };
    }

    /** Names and what they stand for; {@code what} names the keyword in the message. */
    Map<Value, Value> map(String key, String what) {
        return switch (get(key)) {
            case null -> Map.of();
            case ObjectValue(var fields) -> fields;
            case Value _ -> throw new SchemaException(what + " must be of type object");
        };
    }

    static String text(Value key) {
        return key instanceof StringValue(var text) ? text : key.toString();
    }
}
