package io.portcullis.process.cli;

import java.time.Duration;
import java.util.regex.Pattern;

/** Parses durations as users and the API server write them: {@code 10s}, {@code 500ms}, {@code 1m30s}, {@code 2.5s}. */
public final class Durations {

    private static final Pattern WHOLE = Pattern.compile("([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+|[0-9]+");
    private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ns|us|µs|ms|s|m|h)?");

    private Durations() {}

    /** @throws IllegalArgumentException with a message that describes the expected form */
    public static Duration parse(String text) {
        if (text.length() > 32 || !WHOLE.matcher(text).matches()) {
            throw new IllegalArgumentException("expected a duration such as 500ms, 2s or 1m");
        }
        var nanos = 0.0;
        var part = PART.matcher(text);
        while (part.find()) {
            nanos += Double.parseDouble(part.group(1)) * nanosOf(part.group(2) == null ? "s" : part.group(2));
        }
        return Duration.ofNanos((long) nanos);
    }

    private static double nanosOf(String unit) {
        return switch (unit) {
            case "ns" -> 1;
            case "us", "µs" -> 1e3;
            case "ms" -> 1e6;
            case "m" -> 60e9;
            case "h" -> 3600e9;
            default -> 1e9;
        };
    }
}
