package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The arguments of a built-in, with access by type. Positions count from 0; messages count from 1, as in OPA. */
public record Operands(List<RegoValue> values) {

    public Operands {
        values = List.copyOf(values);
    }

    public RegoValue value(int position) {
        if (position >= values.size()) {
            throw new BuiltinException("operand " + (position + 1) + " is missing");
        }
        return values.get(position);
    }

    public String string(int position) {
        if (value(position) instanceof StringValue(var text)) {
            return text;
        }
        throw wrongType(position, "string");
    }

    NumberValue number(int position) {
        if (value(position) instanceof NumberValue number) {
            return number;
        }
        throw wrongType(position, "number");
    }

    public BigInteger bigInteger(int position) {
        try {
            return number(position).value().toBigIntegerExact();
        } catch (ArithmeticException e) {
            throw new BuiltinException(
                    "operand %d must be integer number but got floating-point number".formatted(position + 1), e);
        }
    }

    public int integer(int position) {
        try {
            return bigInteger(position).intValueExact();
        } catch (ArithmeticException e) {
            throw new BuiltinException("operand %d is too large".formatted(position + 1), e);
        }
    }

    public List<RegoValue> array(int position) {
        if (value(position) instanceof ArrayValue(var items)) {
            return items;
        }
        throw wrongType(position, "array");
    }

    public ObjectValue object(int position) {
        if (value(position) instanceof ObjectValue object) {
            return object;
        }
        throw wrongType(position, "object");
    }

    /** Returns the items of an array or a set. */
    public Collection<RegoValue> collection(int position) {
        return switch (value(position)) {
            case ArrayValue(var items) -> items;
            case SetValue(var items) -> items;
            case RegoValue _ -> throw wrongType(position, "{array, set}");
        };
    }

    /** Returns one string, or the strings of an array or set. */
    public List<String> stringOrStrings(int position) {
        if (value(position) instanceof StringValue(var text)) {
            return List.of(text);
        }
        var texts = new ArrayList<String>();
        for (var item : collection(position)) {
            if (!(item instanceof StringValue(var text))) {
                throw new BuiltinException("operand %d must be string or collection of strings but found %s"
                        .formatted(position + 1, item.typeName()));
            }
            texts.add(text);
        }
        return texts;
    }

    public BuiltinException wrongType(int position, String expected) {
        return new BuiltinException("operand %d must be %s but got %s"
                .formatted(position + 1, expected, value(position).typeName()));
    }
}
