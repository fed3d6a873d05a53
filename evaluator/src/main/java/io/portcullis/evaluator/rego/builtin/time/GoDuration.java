package io.portcullis.evaluator.rego.builtin.time;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.format.GoQuote;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Pattern;

/** Parses durations in Go's notation, plus OPA's days, weeks and years of 365 days. */
final class GoDuration {

    private static final Map<String, Long> UNITS = Map.ofEntries(
            Map.entry("ns", 1L),
            Map.entry("us", 1_000L),
            Map.entry("µs", 1_000L),
            Map.entry("μs", 1_000L),
            Map.entry("ms", 1_000_000L),
            Map.entry("s", 1_000_000_000L),
            Map.entry("m", 60_000_000_000L),
            Map.entry("h", 3_600_000_000_000L),
            Map.entry("d", 86_400_000_000_000L),
            Map.entry("w", 604_800_000_000_000L),
            Map.entry("y", 31_536_000_000_000_000L));

    private static final Pattern SEGMENT = Pattern.compile("([0-9]*+\\.?+[0-9]*+)([a-zµμ]++)");

    private GoDuration() {}

    static long parseNanos(String text) {
        var rest = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
        if (rest.equals("0")) {
            return 0;
        }
        if (text.length() > RegoValue.MAX_NUMBER_LENGTH) {
            throw new BuiltinException("time: invalid duration of " + text.length() + " characters");
        }
        var total = BigDecimal.ZERO;
        var segments = SEGMENT.matcher(rest);
        int position = 0;
        while (position < rest.length()) {
            if (!segments.region(position, rest.length()).lookingAt()) {
                throw invalid(text);
            }
            var digits = segments.group(1);
            var unit = UNITS.get(segments.group(2));
            if (unit == null || digits.isEmpty() || digits.equals(".")) {
                throw invalid(text);
            }
            total = total.add(
                    new BigDecimal(digits).multiply(BigDecimal.valueOf(unit)).setScale(0, RoundingMode.DOWN));
            position = segments.end();
        }
        if (rest.isEmpty()) {
            throw invalid(text);
        }
        try {
            return (text.startsWith("-") ? total.negate() : total).longValueExact();
        } catch (ArithmeticException e) {
            throw new BuiltinException("time: invalid duration " + GoQuote.quote(text, false), e);
        }
    }

    private static BuiltinException invalid(String text) {
        return new BuiltinException("time: invalid duration " + GoQuote.quote(text, false));
    }
}
