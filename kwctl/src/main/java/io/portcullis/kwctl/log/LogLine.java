package io.portcullis.kwctl.log;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/** Renders one log event: {@code 2026-11-15T18:54:27.087803Z  INFO kwctl::verify: Policy successfully verified key=value}. */
final class LogLine {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final String OURS = "io.portcullis.";

    private LogLine() {}

    static String of(
            Instant time, Level level, String logger, String message, List<KeyValuePair> fields, boolean styled) {
        var text = new StringBuilder();
        var dim = styled ? "\u001b[2m" : "";
        var reset = styled ? "\u001b[0m" : "";
        text.append(dim)
                .append(TIME.format(time.truncatedTo(ChronoUnit.MICROS)))
                .append(reset)
                .append(' ');
        text.append(styled ? colour(level) : "")
                .append("%5s".formatted(level))
                .append(reset)
                .append(' ');
        text.append(dim)
                .append(target(logger))
                .append(':')
                .append(reset)
                .append(' ')
                .append(message);
        for (var field : fields) {
            text.append(' ').append(field.key).append('=').append(value(field.value));
        }
        return text.append('\n').toString();
    }

    /**
     * Renders the name of a logger: {@code io.portcullis.artifacts.oci.Puller} becomes {@code portcullis::artifacts::oci};
     * other names stay unchanged.
     */
    private static String target(String logger) {
        if (!logger.startsWith(OURS)) {
            return logger;
        }
        var end = logger.lastIndexOf('.');
        var path = logger.substring(OURS.length(), Math.max(end, OURS.length()));
        return (path.startsWith("kwctl") ? path : "portcullis." + path).replace(".", "::");
    }

    /** Renders a value. Collections are sorted and quoted, {@code {"a", "b"}}, because scripts match that form. */
    private static String value(@Nullable Object value) {
        return value instanceof Collection<?> values
                ? values.stream()
                        .map(element -> "\"" + element + "\"")
                        .collect(Collectors.toCollection(TreeSet::new))
                        .stream()
                        .collect(Collectors.joining(", ", "{", "}"))
                : String.valueOf(value);
    }

    private static String colour(Level level) {
        return switch (level) {
            case ERROR -> "\u001b[31m";
            case WARN -> "\u001b[33m";
            case INFO -> "\u001b[32m";
            case DEBUG -> "\u001b[34m";
            case TRACE -> "\u001b[35m";
        };
    }
}
