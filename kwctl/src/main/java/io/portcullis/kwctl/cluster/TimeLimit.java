package io.portcullis.kwctl.cluster;

import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.process.args.ParsedArguments;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses durations: {@code 90s}, {@code 5m}, {@code 1h30m}, {@code 500ms}. A number without a unit means seconds. */
final class TimeLimit {

    private static final Pattern FORM =
            Pattern.compile("(?:(\\d{1,3})h)?(?:(\\d{1,5})m(?!s))?(?:(\\d{1,7})s)?(?:(\\d{1,9})ms)?");
    private static final Pattern BARE = Pattern.compile("\\d{1,7}");
    private static final Duration MAX = Duration.ofHours(24);

    private TimeLimit() {}

    static Duration of(ParsedArguments arguments) {
        return parse(arguments.orDefault(ClusterOptions.TIMEOUT));
    }

    static Duration parse(String text) {
        var parts = FORM.matcher(BARE.matcher(text).matches() ? text + "s" : text);
        if (text.isEmpty() || !parts.matches()) {
            throw new CommandException("\"" + text + "\" is not a duration; write for example 90s, 5m or 1h30m");
        }
        var limit = Duration.ofHours(number(parts.group(1)))
                .plusMinutes(number(parts.group(2)))
                .plusSeconds(number(parts.group(3)))
                .plusMillis(number(parts.group(4)));
        if (limit.compareTo(MAX) > 0) {
            throw new CommandException("a time limit of " + text + " is longer than a day");
        }
        return limit;
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** Renders a duration for messages, for example {@code 60s}. */
    static String display(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + "s" : limit.toMillis() + "ms";
    }
}
