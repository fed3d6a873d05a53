package io.portcullis.evaluator.rego.builtin.text;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** {@code units.parse} and {@code units.parse_bytes}: Kubernetes quantities and sizes. */
public final class UnitBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "units.parse", (operands, _) -> quantity(operands.string(0)),
            "units.parse_bytes", (operands, _) -> bytes(operands.string(0)));

    private static final Pattern AMOUNT =
            Pattern.compile("([0-9.+-]*(?:[eE][+-]?[0-9]+[0-9.+-]*)*)(.*)", Pattern.DOTALL);
    private static final Pattern LONG_EXPONENT = Pattern.compile("[eE][+-]?[0-9]{5,}");
    private static final MathContext BIG_FLOAT = new MathContext(64, RoundingMode.HALF_EVEN);
    private static final BigDecimal MILLI =
            new BigDecimal("0.001000000000000000020816681711721685132943093776702880859375");
    private static final String PREFIXES = "kmgtpe";

    private UnitBuiltins() {}

    private static RegoValue quantity(String text) {
        var parts = split(text.replace("\"", ""), "");
        var unit = parts.unit.length() > 1
                ? parts.unit.charAt(0) + parts.unit.substring(1).toLowerCase(Locale.ROOT)
                : parts.unit;
        var factor = switch (unit) {
            case "" -> BigDecimal.ONE;
            // OPA multiplies by the binary fraction that is nearest to a thousandth.
            case "m" -> MILLI;
            default -> factor(unit.toLowerCase(Locale.ROOT), "i", "", "unit " + unit + " not recognized");
        };
        var result = number(parts.amount, "could not parse amount to a number").multiply(factor);
        if (result.stripTrailingZeros().scale() <= 0) {
            return RegoValue.number(result.toBigInteger().toString());
        }
        return RegoValue.number(result.setScale(10, RoundingMode.HALF_UP).toPlainString());
    }

    private static RegoValue bytes(String text) {
        var parts = split(text.toLowerCase(Locale.ROOT).replace("\"", ""), "byte ");
        var unit = parts.unit.endsWith("b") ? parts.unit.substring(0, parts.unit.length() - 1) : parts.unit;
        var unknown = "byte unit " + parts.unit + " not recognized";
        if (unit.isEmpty() && !parts.unit.isEmpty()) {
            throw new BuiltinException(unknown);
        }
        var factor = unit.isEmpty() ? BigDecimal.ONE : factor(unit, "i", "", unknown);
        var amount = number(parts.amount, "could not parse byte amount to a number");
        return RegoValue.number(
                amount.round(BIG_FLOAT).multiply(factor).toBigInteger().toString());
    }

    /** Returns a power of 1000, or of 1024 with the suffix {@code i}. */
    private static BigDecimal factor(String unit, String binarySuffix, String decimalSuffix, String unknown) {
        int power = unit.isEmpty() ? -1 : PREFIXES.indexOf(unit.charAt(0));
        var suffix = unit.substring(1);
        if (power < 0 || !(suffix.equals(binarySuffix) || suffix.equals(decimalSuffix))) {
            throw new BuiltinException(unknown);
        }
        return BigDecimal.valueOf(suffix.equals(binarySuffix) ? 1024 : 1000).pow(power + 1);
    }

    private static Parts split(String text, String what) {
        if (text.contains(" ")) {
            throw new BuiltinException("spaces not allowed in resource strings");
        }
        if (LONG_EXPONENT.matcher(text).find()) {
            throw new BuiltinException("exponent too large");
        }
        var matcher = AMOUNT.matcher(text);
        if (!matcher.matches() || matcher.group(1).isEmpty()) {
            throw new BuiltinException("no " + what + "amount provided");
        }
        return new Parts(matcher.group(1), matcher.group(2));
    }

    private static BigDecimal number(String text, String error) {
        if (text.length() > RegoValue.MAX_NUMBER_LENGTH) {
            throw new BuiltinException(error);
        }
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw new BuiltinException(error, e);
        }
    }

    private record Parts(String amount, String unit) {}
}
