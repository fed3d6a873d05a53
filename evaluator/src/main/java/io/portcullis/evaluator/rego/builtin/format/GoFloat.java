package io.portcullis.evaluator.rego.builtin.format;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Formats floating-point numbers like Go's {@code strconv.FormatFloat}. Rego has no infinities. */
public final class GoFloat {

    private GoFloat() {}

    /** Writes the fewest digits that parse to the same number; {@code 'g'} switches to exponents at {@code limit}. */
    public static String shortest(double value, char format, int limit) {
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        var digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = digits.precision() - digits.scale() - 1;
        boolean scientific = format == 'e' || (format == 'g' && (exponent < -4 || exponent >= limit));
        return scientific ? scientific(digits, digits.precision() - 1) : digits.toPlainString();
    }

    static String format(double value, char format, int precision) {
        var exact = new BigDecimal(value);
        return switch (format) {
            case 'f' ->
                signed(value, exact.setScale(precision, RoundingMode.HALF_EVEN).toPlainString());
            case 'e' ->
                value == 0 ? signed(value, scientific(BigDecimal.ZERO, precision)) : scientific(exact, precision);
            default -> general(value, exact, precision);
        };
    }

    private static String general(double value, BigDecimal exact, int precision) {
        int digits = Math.max(1, precision);
        if (value == 0) {
            return signed(value, "0");
        }
        var rounded =
                exact.round(new MathContext(digits, RoundingMode.HALF_EVEN)).stripTrailingZeros();
        int exponent = rounded.precision() - rounded.scale() - 1;
        int limit = digits > rounded.precision() && rounded.precision() >= exponent + 1 ? rounded.precision() : digits;
        return exponent < -4 || exponent >= Math.max(limit, digits)
                ? scientific(rounded, rounded.precision() - 1)
                : rounded.toPlainString();
    }

    private static String scientific(BigDecimal value, int precision) {
        var rounded = value.signum() == 0 ? value : value.round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        int exponent = value.signum() == 0 ? 0 : rounded.precision() - rounded.scale() - 1;
        var mantissa = rounded.scaleByPowerOfTen(-exponent).setScale(precision, RoundingMode.UNNECESSARY);
        return "%se%s%02d".formatted(mantissa.toPlainString(), exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    private static String signed(double value, String digits) {
        boolean negative = value < 0 || 1 / value < 0;
        return negative && !digits.startsWith("-") ? "-" + digits : digits;
    }
}
