package io.portcullis.evaluator.rego.builtin.schema;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.format.GoFloat;
import io.portcullis.evaluator.rego.builtin.format.GoJsonText;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import java.math.BigDecimal;
import java.util.stream.Collectors;

/** Compares and prints values for schemas: all numbers are doubles, regardless of notation. */
final class SchemaValues {

    private SchemaValues() {}

    /** Returns a canonical text; two values are equal if their canonical texts are equal. */
    static String canonical(RegoValue value) {
        return switch (value) {
            case NumberValue number -> number(number);
            case ArrayValue(var items) ->
                items.stream().map(SchemaValues::canonical).collect(Collectors.joining(",", "[", "]"));
            case ObjectValue(var fields) ->
                fields.entrySet().stream()
                        .map(field -> GoJsonText.compact(field.getKey()) + ":" + canonical(field.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
            case RegoValue scalar -> GoJsonText.compact(scalar);
        };
    }

    /**
     * Formats a number like Go's {@code encoding/json} writes a float: with an exponent if it is very small or very
     * large.
     */
    private static String number(NumberValue number) {
        double value = number.value().doubleValue();
        if (Double.isInfinite(value)) {
            throw new BuiltinException("number is out of range: " + number);
        }
        double size = Math.abs(value);
        boolean exponent = size != 0 && (size < 1e-6 || size >= 1e21);
        var text = GoFloat.shortest(value, exponent ? 'e' : 'f', 0);
        return exponent ? text.replaceFirst("e-0", "e-") : text;
    }

    /** Formats a number like Go prints a {@code big.Float}: with an exponent from one million on. */
    static String bound(BigDecimal bound) {
        var digits = bound.stripTrailingZeros();
        if (digits.signum() == 0) {
            return "0";
        }
        int exponent = digits.precision() - digits.scale() - 1;
        if (exponent >= -4 && exponent < 6) {
            return digits.toPlainString();
        }
        var mantissa = digits.scaleByPowerOfTen(-exponent).toPlainString();
        return "%se%s%02d".formatted(mantissa, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}
