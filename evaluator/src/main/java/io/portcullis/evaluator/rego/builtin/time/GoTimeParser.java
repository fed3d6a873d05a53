package io.portcullis.evaluator.rego.builtin.time;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.format.GoQuote;
import io.portcullis.evaluator.rego.builtin.time.GoTimeLayout.Part;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Parses one text according to a {@link GoTimeLayout}. Each instance is used once. */
final class GoTimeParser {

    private static final Pattern FRACTION = Pattern.compile("[.,](\\d+)");
    private static final Pattern ZONE = Pattern.compile("GMT([+-]\\d{1,2})?|[A-Z]{3,5}|[+-]\\d{2}");

    private final String layout;
    private final String value;
    private int position;
    private int year;
    private int month;
    private int day;
    private int dayOfYear;
    private int hour;
    private int minute;
    private int second;
    private int nano;
    private boolean afternoon;
    private boolean hasHalfOfDay;
    private int offsetSeconds;

    GoTimeParser(String layout, String value) {
        this.layout = layout;
        this.value = value;
    }

    ZonedDateTime parse(List<Part> parts) {
        for (int i = 0; i < parts.size(); i++) {
            switch (parts.get(i)) {
                case Part.Literal(var literal) -> skip(literal);
                case Part.Element(var element, var example) -> {
                    read(element, example);
                    boolean seconds = example.endsWith("5") && !example.equals("15");
                    if (seconds && !(i + 1 < parts.size() && isFraction(parts.get(i + 1)))) {
                        optionalFraction();
                    }
                }
            }
        }
        if (position != value.length()) {
            throw parseError(": extra text: " + GoQuote.quote(value.substring(position), false));
        }
        return build();
    }

    private static boolean isFraction(Part part) {
        return part instanceof Part.Element element
                && (element.element() == GoTimeElement.FRACTION || element.element() == GoTimeElement.TRIMMED_FRACTION);
    }

    private void skip(String literal) {
        if (!value.startsWith(literal, position)) {
            throw mismatch(literal);
        }
        position += literal.length();
    }

    private void read(GoTimeElement element, String example) {
        switch (element) {
            case LONG_MONTH -> month = name(TextStyle.FULL, example);
            case MONTH -> month = name(TextStyle.SHORT, example);
            case LONG_WEEKDAY -> weekday(TextStyle.FULL, example);
            case WEEKDAY -> weekday(TextStyle.SHORT, example);
            case ZONE_NAME -> zoneName(example);
            case LONG_YEAR -> year = digits(4, 4, example);
            case ZERO_DAY_OF_YEAR -> dayOfYear = digits(3, 3, example);
            case PADDED_DAY_OF_YEAR -> dayOfYear = padded(example, 3);
            case PADDED_DAY -> day = padded(example, 2);
            case HOUR24 -> hour = inRange(digits(2, 2, example), 23, "hour");
            case ZERO_NUMBERS -> number(example, digits(2, 2, example));
            case NUMBERS -> number(example, digits(1, 2, example));
            case UPPER_HALF -> half("AM", "PM", example);
            case LOWER_HALF -> half("am", "pm", example);
            case ISO_OFFSET -> {
                if (value.startsWith("Z", position)) {
                    position++;
                } else {
                    offset(example);
                }
            }
            case OFFSET -> offset(example);
            case FRACTION -> fraction(example);
            case TRIMMED_FRACTION -> optionalFraction();
        }
    }

    private void number(String example, int number) {
        switch (example.charAt(example.length() - 1)) {
            case '1' -> month = number;
            case '2' -> day = number;
            case '3' -> hour = inRange(number, 12, "hour");
            case '4' -> minute = inRange(number, 59, "minute");
            case '5' -> second = inRange(number, 59, "second");
            default -> year = number >= 69 ? 1900 + number : 2000 + number;
        }
    }

    private int inRange(int number, int maximum, String what) {
        if (number > maximum) {
            throw parseError(": " + what + " out of range");
        }
        return number;
    }

    private int digits(int minimum, int maximum, String example) {
        int start = position;
        while (position < value.length() && position - start < maximum && isDigit(value.charAt(position))) {
            position++;
        }
        if (position - start < minimum) {
            throw mismatch(example);
        }
        return Integer.parseInt(value, start, position, 10);
    }

    private int padded(String example, int size) {
        int spaces = 0;
        while (spaces < size - 1 && position < value.length() && value.charAt(position) == ' ') {
            position++;
            spaces++;
        }
        return digits(1, Math.max(1, size - spaces), example);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private int name(TextStyle style, String example) {
        for (var candidate : Month.values()) {
            if (take(text(candidate.getDisplayName(TextStyle.FULL, Locale.ENGLISH), style))) {
                return candidate.getValue();
            }
        }
        throw mismatch(example);
    }

    private void weekday(TextStyle style, String example) {
        for (var candidate : DayOfWeek.values()) {
            if (take(text(candidate.getDisplayName(TextStyle.FULL, Locale.ENGLISH), style))) {
                return;
            }
        }
        throw mismatch(example);
    }

    private static String text(String full, TextStyle style) {
        return style == TextStyle.FULL ? full : full.substring(0, 3);
    }

    private boolean take(String name) {
        if (!value.regionMatches(true, position, name, 0, name.length())) {
            return false;
        }
        position += name.length();
        return true;
    }

    private void half(String morning, String evening, String example) {
        if (value.startsWith(evening, position)) {
            afternoon = true;
        } else if (!value.startsWith(morning, position)) {
            throw mismatch(example);
        }
        hasHalfOfDay = true;
        position += 2;
    }

    /** Parses a zone abbreviation. It contains no offset, except {@code GMT+3}; like Go, we treat it as UTC. */
    private void zoneName(String example) {
        var matcher = ZONE.matcher(value).region(position, value.length());
        if (!matcher.lookingAt()) {
            throw mismatch(example);
        }
        if (matcher.group(1) != null) {
            offsetSeconds = Integer.parseInt(matcher.group(1)) * 3600;
        }
        position = matcher.end();
    }

    private void offset(String example) {
        if (position >= value.length() || "+-".indexOf(value.charAt(position)) < 0) {
            throw mismatch(example);
        }
        int sign = value.charAt(position++) == '-' ? -1 : 1;
        int digits = (int) example.chars().filter(Character::isDigit).count();
        boolean colons = example.contains(":");
        int hours = inRange(digits(2, 2, example), 24, "time zone offset hour");
        int minutes = digits >= 4 ? inRange(twoDigits(colons, example), 60, "time zone offset minute") : 0;
        int seconds = digits >= 6 ? inRange(twoDigits(colons, example), 60, "time zone offset second") : 0;
        offsetSeconds = sign * (hours * 3600 + minutes * 60 + seconds);
    }

    private int twoDigits(boolean colon, String example) {
        if (colon) {
            skip(":");
        }
        return digits(2, 2, example);
    }

    private void fraction(String example) {
        var matcher = FRACTION.matcher(value).region(position, value.length());
        if (!matcher.lookingAt() || matcher.group(1).length() < example.length() - 1) {
            throw mismatch(example);
        }
        nano = nanos(matcher.group(1).substring(0, example.length() - 1));
        position += example.length();
    }

    private void optionalFraction() {
        var matcher = FRACTION.matcher(value).region(position, value.length());
        if (matcher.lookingAt()) {
            nano = nanos(matcher.group(1));
            position = matcher.end();
        }
    }

    private static int nanos(String digits) {
        return Integer.parseInt((digits + "000000000").substring(0, 9));
    }

    private ZonedDateTime build() {
        if (hasHalfOfDay) {
            hour = hour % 12 + (afternoon ? 12 : 0);
        }
        try {
            var date = dayOfYear > 0
                    ? LocalDate.ofYearDay(year, dayOfYear)
                    : LocalDate.of(year, month == 0 ? 1 : month, day == 0 ? 1 : day);
            var zone = ZoneOffset.ofTotalSeconds(offsetSeconds);
            return ZonedDateTime.of(date, LocalTime.of(hour, minute, second, nano), zone);
        } catch (DateTimeException e) {
            throw parseError(": day out of range");
        }
    }

    private BuiltinException mismatch(String element) {
        return parseError(" as " + GoQuote.quote(layout, false) + ": cannot parse "
                + GoQuote.quote(value.substring(Math.min(position, value.length())), false) + " as "
                + GoQuote.quote(element, false));
    }

    private BuiltinException parseError(String why) {
        return new BuiltinException("parsing time " + GoQuote.quote(value, false) + why);
    }
}
