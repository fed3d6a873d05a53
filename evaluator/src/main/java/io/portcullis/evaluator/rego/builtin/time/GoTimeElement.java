package io.portcullis.evaluator.rego.builtin.time;

import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;

/** The elements of a Go time layout. If one example is a prefix of another, the longer one comes first. */
enum GoTimeElement {
    LONG_MONTH("January"),
    MONTH("Jan"),
    LONG_WEEKDAY("Monday"),
    WEEKDAY("Mon"),
    ZONE_NAME("MST"),
    LONG_YEAR("2006"),
    ZERO_DAY_OF_YEAR("002"),
    ZERO_NUMBERS("01", "02", "03", "04", "05", "06"),
    PADDED_DAY_OF_YEAR("__2"),
    PADDED_DAY("_2"),
    HOUR24("15"),
    NUMBERS("1", "2", "3", "4", "5"),
    UPPER_HALF("PM"),
    LOWER_HALF("pm"),
    ISO_OFFSET("Z070000", "Z07:00:00", "Z0700", "Z07:00", "Z07"),
    OFFSET("-070000", "-07:00:00", "-0700", "-07:00", "-07"),
    FRACTION,
    TRIMMED_FRACTION;

    /** Separated by spaces; a string, because fields of enums must be immutable. */
    private final String examples;

    GoTimeElement(String... examples) {
        this.examples = String.join(" ", examples);
    }

    List<String> examples() {
        return examples.isEmpty() ? List.of() : List.of(examples.split(" ", -1));
    }

    /**
     * Returns whether the example is an element at this position. {@code Jan} and {@code Mon} are names only if no
     * lower-case letter follows; {@code _2006} is a year.
     */
    boolean isElementAt(String layout, int position, String example) {
        int end = position + example.length();
        return switch (this) {
            case MONTH, WEEKDAY -> end >= layout.length() || !(layout.charAt(end) >= 'a' && layout.charAt(end) <= 'z');
            case PADDED_DAY -> !layout.startsWith("2006", position + 1);
            default -> true;
        };
    }

    String format(ZonedDateTime time, String example) {
        return switch (this) {
            case LONG_MONTH -> time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case MONTH ->
                time.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH).substring(0, 3);
            case LONG_WEEKDAY -> time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case WEEKDAY ->
                time.getDayOfWeek()
                        .getDisplayName(TextStyle.SHORT, Locale.ENGLISH)
                        .substring(0, 3);
            case ZONE_NAME -> zoneName(time);
            case LONG_YEAR -> "%04d".formatted(time.getYear());
            case ZERO_DAY_OF_YEAR -> "%03d".formatted(time.getDayOfYear());
            case PADDED_DAY_OF_YEAR -> "%3d".formatted(time.getDayOfYear());
            case PADDED_DAY -> "%2d".formatted(time.getDayOfMonth());
            case HOUR24 -> "%02d".formatted(time.getHour());
            case ZERO_NUMBERS -> "%02d".formatted(number(time, example));
            case NUMBERS -> Integer.toString(number(time, example));
            case UPPER_HALF -> time.getHour() >= 12 ? "PM" : "AM";
            case LOWER_HALF -> time.getHour() >= 12 ? "pm" : "am";
            case ISO_OFFSET -> time.getOffset().getTotalSeconds() == 0 ? "Z" : offset(time, example);
            case OFFSET -> offset(time, example);
            case FRACTION -> example.charAt(0) + nanos(time).substring(0, example.length() - 1);
            case TRIMMED_FRACTION -> trimmed(time, example);
        };
    }

    private static int number(ZonedDateTime time, String example) {
        return switch (example.charAt(example.length() - 1)) {
            case '1' -> time.getMonthValue();
            case '2' -> time.getDayOfMonth();
            case '3' -> time.getHour() % 12 == 0 ? 12 : time.getHour() % 12;
            case '4' -> time.getMinute();
            case '5' -> time.getSecond();
            default -> Math.floorMod(time.getYear(), 100);
        };
    }

    private static String nanos(ZonedDateTime time) {
        return "%09d".formatted(time.getNano());
    }

    private static String trimmed(ZonedDateTime time, String example) {
        var digits = nanos(time).substring(0, Math.min(9, example.length() - 1));
        int end = digits.length();
        while (end > 0 && digits.charAt(end - 1) == '0') {
            end--;
        }
        return end == 0 ? "" : example.charAt(0) + digits.substring(0, end);
    }

    private static String offset(ZonedDateTime time, String example) {
        int seconds = time.getOffset().getTotalSeconds();
        int absolute = Math.abs(seconds);
        var colon = example.contains(":") ? ":" : "";
        var out = new StringBuilder(seconds < 0 ? "-" : "+").append("%02d".formatted(absolute / 3600));
        int digits = (int) example.chars().filter(Character::isDigit).count();
        if (digits >= 4) {
            out.append(colon).append("%02d".formatted(absolute / 60 % 60));
        }
        if (digits >= 6) {
            out.append(colon).append("%02d".formatted(absolute % 60));
        }
        return out.toString();
    }

    /** Returns the abbreviation of the zone, or its offset if it has no abbreviation. */
    private static String zoneName(ZonedDateTime time) {
        if (time.getOffset().getTotalSeconds() == 0 && time.getZone().getId().equals("Z")) {
            return "UTC";
        }
        var daylight = time.getZone().getRules().isDaylightSavings(time.toInstant());
        var name = TimeZone.getTimeZone(time.getZone()).getDisplayName(daylight, TimeZone.SHORT, Locale.ENGLISH);
        return name.startsWith("GMT") && name.length() > 3 ? offset(time, "-07") : name;
    }
}
