package io.portcullis.evaluator.rego.builtin.time;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code time.*}: nanoseconds since 1970, optionally with a time zone. */
public final class TimeBuiltins {

    public static final Map<String, Builtin> ALL = Map.ofEntries(
            Map.entry("time.now_ns", (_, scope) -> RegoValue.of(scope.nowNanos())),
            Map.entry("time.date", (operands, _) -> date(moment(operands, 0).time)),
            Map.entry("time.clock", (operands, _) -> clock(moment(operands, 0).time)),
            Map.entry("time.weekday", (operands, _) -> RegoValue.of(weekday(moment(operands, 0).time))),
            Map.entry("time.format", (operands, _) -> format(moment(operands, 0))),
            Map.entry("time.add_date", (operands, _) -> addDate(operands)),
            Map.entry("time.diff", (operands, _) -> diff(moment(operands, 0).time, moment(operands, 1).time)),
            Map.entry(
                    "time.parse_ns",
                    (operands, _) -> nanos(GoTimeLayout.of(operands.string(0)).parse(operands.string(1)))),
            Map.entry(
                    "time.parse_rfc3339_ns",
                    (operands, _) -> nanos(GoTimeLayout.of("RFC3339").parse(operands.string(0)))),
            Map.entry(
                    "time.parse_duration_ns",
                    (operands, _) -> RegoValue.of(GoDuration.parseNanos(operands.string(0)))));

    private TimeBuiltins() {}

    private static Moment moment(Operands operands, int position) {
        return switch (operands.value(position)) {
            case NumberValue number -> new Moment(time(number, ZoneOffset.UTC), "");
            case ArrayValue(List<RegoValue> items)
            when !items.isEmpty() && items.getFirst() instanceof NumberValue number -> {
                var zone = items.size() > 1 ? zone(text(items.get(1))) : ZoneOffset.UTC;
                yield new Moment(time(number, zone), items.size() > 2 ? text(items.get(2)) : "");
            }
            case RegoValue _ -> throw operands.wrongType(position, "either number (ns) or [number (ns), string (tz)]");
        };
    }

    private static String text(RegoValue value) {
        if (value instanceof StringValue(var text)) {
            return text;
        }
        throw new BuiltinException("operand 1 must be string but got " + value.typeName());
    }

    private static ZoneId zone(String name) {
        try {
            return switch (name) {
                case "", "UTC" -> ZoneOffset.UTC;
                case "Local" -> ZoneId.systemDefault();
                default -> {
                    if (!ZoneId.getAvailableZoneIds().contains(name)) {
                        throw new BuiltinException("unknown time zone " + name);
                    }
                    yield ZoneId.of(name);
                }
            };
        } catch (DateTimeException e) {
            throw new BuiltinException("unknown time zone " + name, e);
        }
    }

    private static ZonedDateTime time(NumberValue nanos, ZoneId zone) {
        try {
            long value = nanos.value().longValueExact();
            return Instant.ofEpochSecond(0, value).atZone(zone);
        } catch (ArithmeticException e) {
            throw new BuiltinException("timestamp too big", e);
        }
    }

    static RegoValue nanos(ZonedDateTime time) {
        try {
            return RegoValue.of(
                    Math.addExact(Math.multiplyExact(time.toEpochSecond(), 1_000_000_000L), time.getNano()));
        } catch (ArithmeticException e) {
            throw new BuiltinException("time outside of valid range", e);
        }
    }

    private static RegoValue date(ZonedDateTime time) {
        return numbers(time.getYear(), time.getMonthValue(), time.getDayOfMonth());
    }

    private static RegoValue clock(ZonedDateTime time) {
        return numbers(time.getHour(), time.getMinute(), time.getSecond());
    }

    private static RegoValue numbers(long... numbers) {
        return RegoValue.array(Arrays.stream(numbers).mapToObj(RegoValue::of).toList());
    }

    private static String weekday(ZonedDateTime time) {
        return time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    private static RegoValue format(Moment moment) {
        return RegoValue.of(GoTimeLayout.of(moment.layout.isEmpty() ? "RFC3339Nano" : moment.layout)
                .format(moment.time));
    }

    /**
     * Adds years, months and days. Days beyond the end of a month continue in the next month, like Go's {@code
     * AddDate}.
     */
    private static RegoValue addDate(Operands operands) {
        var time = moment(operands, 0).time;
        try {
            long months = Math.multiplyExact(operands.integer(1), 12L) + operands.integer(2) + time.getMonthValue() - 1;
            var date = LocalDate.of(Math.toIntExact(time.getYear() + Math.floorDiv(months, 12)), 1, 1)
                    .plusMonths(Math.floorMod(months, 12))
                    .plusDays(time.getDayOfMonth() - 1L + operands.integer(3));
            return nanos(ZonedDateTime.of(date, time.toLocalTime(), time.getZone()));
        } catch (DateTimeException | ArithmeticException e) {
            throw new BuiltinException("time outside of valid range", e);
        }
    }

    /** Returns years, months, days, hours, minutes and seconds between two times, in the zone of the first. */
    private static RegoValue diff(ZonedDateTime one, ZonedDateTime two) {
        var other = two.withZoneSameInstant(one.getZone());
        var from = one.isAfter(other) ? other : one;
        var to = one.isAfter(other) ? one : other;
        var units = new long[] {
            to.getYear() - from.getYear(),
            to.getMonthValue() - from.getMonthValue(),
            to.getDayOfMonth() - from.getDayOfMonth(),
            to.getHour() - from.getHour(),
            to.getMinute() - from.getMinute(),
            to.getSecond() - from.getSecond()
        };
        var sizes = new long[] {0, 12, from.toLocalDate().lengthOfMonth(), 24, 60, 60};
        for (int i = units.length - 1; i > 0; i--) {
            if (units[i] < 0) {
                units[i] += sizes[i];
                units[i - 1]--;
            }
        }
        return numbers(units);
    }

    private record Moment(ZonedDateTime time, String layout) {}
}
