package io.portcullis.process.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One option of a command line, with its environment variable and its default. Immutable; flags
 * are declared as constants and looked up in {@link Arguments}.
 *
 * @param variable empty when no environment variable is read
 * @param defaultText the default, written as on the command line; empty when there is none
 * @param parse throws {@link IllegalArgumentException} with a message that describes the expected form
 */
public record Flag<T>(
        String name, String variable, Form form, Optional<String> defaultText, Function<String, T> parse, String help) {

    /**
     * The syntax of a flag.
     *
     * @param parameter the placeholder in the help text
     * @param isRepeatable whether several values are joined by commas; otherwise the last value wins
     * @param shortName such as {@code -n}; empty when there is none
     */
    public record Form(String parameter, boolean isSwitch, boolean isHidden, boolean isRepeatable, String shortName) {

        public static Form of(String parameter) {
            return new Form(parameter, false, false, false, "");
        }
    }

    public static Flag<Boolean> onOff(String name, String variable, String help) {
        return new Flag<>(
                name,
                variable,
                new Form("true|false", true, false, false, ""),
                Optional.of("false"),
                Flag::parseSwitch,
                help);
    }

    public static Flag<String> text(String name, String variable, String parameter, String help) {
        return of(name, variable, parameter, Function.identity(), help);
    }

    public static Flag<Path> path(String name, String variable, String help) {
        return of(name, variable, "PATH", Path::of, help);
    }

    public static Flag<Integer> number(String name, String variable, int min, int max, String help) {
        return of(name, variable, "N", text -> (int) parseNumber(text, min, max), help);
    }

    public static Flag<Long> bytes(String name, String variable, String help) {
        return of(name, variable, "BYTES", text -> parseNumber(text, 1, Integer.MAX_VALUE - 16), help);
    }

    /** An amount of memory: {@code 512Mi}, {@code 1Gi}, or a number of bytes. */
    public static Flag<Long> memory(String name, String variable, String help) {
        return of(name, variable, "SIZE", ByteSizes::parse, help);
    }

    /** A length of time: {@code 500ms}, {@code 2s}, {@code 1m}; a bare number counts seconds. */
    public static Flag<Duration> duration(String name, String variable, String help) {
        return of(name, variable, "DURATION", Durations::parse, help);
    }

    public static Flag<InetAddress> address(String name, String variable, String help) {
        return of(name, variable, "IP", Flag::parseAddress, help);
    }

    public static Flag<String> choice(String name, String variable, List<String> choices, String help) {
        return of(
                name,
                variable,
                String.join("|", choices),
                text -> {
                    if (!choices.contains(text.toLowerCase(Locale.ROOT))) {
                        throw new IllegalArgumentException("expected one of " + String.join(", ", choices));
                    }
                    return text.toLowerCase(Locale.ROOT);
                },
                help);
    }

    /** A list: separated by commas, or by repeating the flag. */
    public static Flag<List<String>> list(String name, String variable, String parameter, String help) {
        return new Flag<>(
                name,
                variable,
                new Form(parameter, false, false, true, ""),
                Optional.<String>empty(),
                Flag::parseList,
                help);
    }

    private static List<String> parseList(String text) {
        return Stream.of(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private static <T> Flag<T> of(
            String name, String variable, String parameter, Function<String, T> parse, String help) {
        return new Flag<>(name, variable, Form.of(parameter), Optional.empty(), parse, help);
    }

    public Flag<T> withDefault(String text) {
        return new Flag<>(name, variable, form, Optional.of(text), parse, help);
    }

    /** Hides the flag from help and reference. */
    public Flag<T> hidden() {
        return in(new Form(form.parameter(), form.isSwitch(), true, form.isRepeatable(), form.shortName()));
    }

    public Flag<T> withShort(String shortName) {
        return in(new Form(form.parameter(), form.isSwitch(), form.isHidden(), form.isRepeatable(), shortName));
    }

    private Flag<T> in(Form other) {
        return new Flag<>(name, variable, other, defaultText, parse, help);
    }

    static boolean parseSwitch(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "true", "1", "yes", "on" -> true;
            case "false", "0", "no", "off" -> false;
            default -> throw new IllegalArgumentException("expected true or false");
        };
    }

    private static long parseNumber(String text, long min, long max) {
        try {
            var number = Long.parseLong(text.strip());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below, together with the range
        }
        throw new IllegalArgumentException("expected a whole number from " + min + " to " + max);
    }

    /** Accepts literals only: a host name needs DNS, and a listener must not depend on DNS. */
    private static InetAddress parseAddress(String text) {
        var literal = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        if (Stream.of("[0-9.]+", "[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%.+)?").noneMatch(literal::matches)) {
            throw new IllegalArgumentException("expected an IP address");
        }
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("expected an IP address", e);
        }
    }
}
