package io.portcullis.kwctl.args;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Parses the arguments after a command's name.
 *
 * <p>Options and positionals may be mixed; {@code --} ends the options. A value is any argument that is not an option of
 * this command, so that JSON and negative numbers need no special quoting. One instance parses one command line.
 */
public final class ArgumentParser {

    /** The parsed command line. */
    public sealed interface Result {

        /** The user wants to run the command. */
        record Invocation(ParsedArguments arguments, Globals globals) implements Result {}

        /** The user wants to see its help. */
        record HelpRequested(boolean longForm) implements Result {}
    }

    private final CommandSpec spec;
    private final List<Option> known;
    private final List<String> words;
    private final Map<String, List<String>> options = new LinkedHashMap<>();
    private final List<String> positionals = new ArrayList<>();
    private int next;

    private ArgumentParser(CommandSpec spec, List<String> words) {
        this.spec = spec;
        this.known = HelpText.allOptions(spec);
        this.words = words;
    }

    /** @throws ArgumentException when the arguments do not match the command */
    public static Result parse(CommandSpec spec, List<String> words) {
        return new ArgumentParser(spec, words).parse();
    }

    private Result parse() {
        var optionsEnded = false;
        while (next < words.size()) {
            var word = words.get(next++);
            if (optionsEnded || !looksLikeOption(word)) {
                addPositional(word);
            } else if (word.equals("--")) {
                optionsEnded = true;
            } else if (asksForHelp(word)) {
                return new Result.HelpRequested(word.equals("--help"));
            } else if (word.startsWith("--")) {
                longOption(word);
            } else {
                shortOptions(word);
            }
        }
        checkConflicts();
        checkRequired();
        var globals = new Globals(
                options.containsKey(Globals.VERBOSE.longName()), options.containsKey(Globals.NO_COLOR.longName()));
        return new Result.Invocation(new ParsedArguments(options, positionals), globals);
    }

    private static boolean looksLikeOption(String word) {
        return word.length() > 1 && word.charAt(0) == '-';
    }

    private boolean asksForHelp(String word) {
        return known.contains(Globals.HELP) && (word.equals("-h") || word.equals("--help"));
    }

    private void addPositional(String word) {
        var places = spec.positionals();
        if (positionals.size() >= places.size()
                && (places.isEmpty() || !places.getLast().repeats())) {
            throw ArgumentException.of("unexpected argument '" + word + "' found", "", HelpText.usage(spec));
        }
        positionals.add(word);
    }

    private void longOption(String word) {
        var equals = word.indexOf('=');
        var name = equals < 0 ? word.substring(2) : word.substring(2, equals);
        var option = byLongName(name).orElseThrow(() -> unknown("--" + name));
        accept(option, equals < 0 ? Optional.empty() : Optional.of(word.substring(equals + 1)));
    }

    /**
     * Parses an argument with one dash: one or more flags. The last one may take the rest of the argument, or the next
     * argument, as its value.
     */
    private void shortOptions(String word) {
        for (var i = 1; i < word.length(); i++) {
            var letter = word.charAt(i);
            var option = byLetter(letter).orElseThrow(() -> unknown("-" + letter));
            var rest = word.substring(i + 1);
            if (option.takesValue()) {
                var value = rest.startsWith("=") ? rest.substring(1) : rest;
                accept(option, rest.isEmpty() ? Optional.empty() : Optional.of(value));
                return;
            }
            accept(option, Optional.empty());
        }
    }

    private void accept(Option option, Optional<String> attached) {
        switch (option.value()) {
            case OptionValue.Flag() -> acceptFlag(option, attached);
            case OptionValue.One(var _, var choices, var _) -> {
                rejectRepetition(option);
                var value = attached.orElseGet(() -> nextValue(option));
                if (!choices.isEmpty() && !choices.contains(value)) {
                    throw invalidChoice(option, value);
                }
                options.put(option.longName(), List.of(value));
            }
            case OptionValue.Many(var _) -> valuesOf(option).add(attached.orElseGet(() -> nextValue(option)));
            case OptionValue.Words(var _, var belongs) -> acceptWords(option, belongs, attached);
        }
    }

    private void acceptFlag(Option option, Optional<String> attached) {
        rejectRepetition(option);
        var value = attached.orElse("true");
        switch (value) {
            case "true" -> options.put(option.longName(), List.of());
            case "false" -> {
                // A flag set to false is the same as an absent flag.
            }
            default ->
                throw ArgumentException.of(
                        "invalid value '" + value + "' for '--" + option.longName()
                                + "'\n  [possible values: true, false]",
                        "",
                        "");
        }
    }

    private void acceptWords(Option option, OptionValue.WordRule belongs, Optional<String> attached) {
        var values = valuesOf(option);
        if (attached.isPresent()) {
            addSplit(values, attached.get());
            return;
        }
        while (next < words.size() && !isOption(words.get(next)) && belongs.test(words.get(next))) {
            addSplit(values, words.get(next++));
        }
    }

    private static void addSplit(List<String> values, String joined) {
        Stream.of(joined.split(",", -1)).map(String::strip).forEach(values::add);
    }

    private List<String> valuesOf(Option option) {
        return options.computeIfAbsent(option.longName(), _ -> new ArrayList<>());
    }

    private String nextValue(Option option) {
        if (next >= words.size() || isOption(words.get(next))) {
            throw ArgumentException.of(
                    "a value is required for '" + option.display() + "' but none was supplied"
                            + choices(option.value().possible()),
                    "",
                    "");
        }
        return words.get(next++);
    }

    /** Returns whether an argument is an option of this command, or {@code --}. */
    private boolean isOption(String word) {
        if (word.equals("--")) {
            return true;
        }
        if (!looksLikeOption(word)) {
            return false;
        }
        var name = word.startsWith("--") ? word.substring(2).split("=", 2)[0] : "";
        return word.startsWith("--")
                ? byLongName(name).isPresent()
                : word.length() == 2 && byLetter(word.charAt(1)).isPresent();
    }

    private Optional<Option> byLongName(String name) {
        return known.stream().filter(option -> option.hasLongName(name)).findFirst();
    }

    private Optional<Option> byLetter(char letter) {
        return known.stream()
                .filter(option -> option.shortName().equals(Optional.of(letter)))
                .findFirst();
    }

    private void rejectRepetition(Option option) {
        if (options.containsKey(option.longName()) && !Globals.OPTIONS.contains(option)) {
            throw ArgumentException.of(
                    "the argument '" + option.display() + "' cannot be used multiple times", "", HelpText.usage(spec));
        }
    }

    private ArgumentException unknown(String given) {
        var similar = SimilarWords.to(
                given, known.stream().map(option -> "--" + option.longName()).toList());
        var tip = similar.map(name -> "a similar argument exists: '" + name + "'")
                .orElse(
                        spec.positionals().isEmpty()
                                ? ""
                                : "to pass '" + given + "' as a value, use '-- " + given + "'");
        return ArgumentException.of("unexpected argument '" + given + "' found", tip, HelpText.usage(spec));
    }

    private static ArgumentException invalidChoice(Option option, String value) {
        var possible = option.value().possible();
        return ArgumentException.of(
                "invalid value '" + value + "' for '" + option.display() + "'" + choices(possible),
                SimilarWords.to(value, possible)
                        .map(choice -> "a similar value exists: '" + choice + "'")
                        .orElse(""),
                "");
    }

    private static String choices(List<String> possible) {
        return possible.isEmpty() ? "" : "\n  [possible values: " + String.join(", ", possible) + "]";
    }

    private void checkConflicts() {
        for (var conflict : spec.conflicts()) {
            var given = conflict.stream()
                    .filter(option -> options.containsKey(option.longName()))
                    .toList();
            if (given.size() > 1) {
                throw ArgumentException.of(
                        "the argument '" + given.get(0).display() + "' cannot be used with '"
                                + given.get(1).display() + "'",
                        "",
                        HelpText.usage(spec));
            }
        }
    }

    /** Returns whether the user gave an option that conflicts with the required one and so replaces it. */
    private boolean isReplaced(Option required) {
        return spec.conflicts().stream()
                .filter(conflict -> conflict.contains(required))
                .flatMap(List::stream)
                .anyMatch(option -> options.containsKey(option.longName()));
    }

    private void checkRequired() {
        var missing = new ArrayList<String>();
        spec.options().stream()
                .filter(option -> option.isRequired() && !options.containsKey(option.longName()))
                .filter(option -> !isReplaced(option))
                .map(Option::display)
                .forEach(missing::add);
        spec.positionals().stream()
                .skip(positionals.size())
                .filter(Positional::isRequired)
                .map(Positional::display)
                .forEach(missing::add);
        if (!missing.isEmpty()) {
            throw ArgumentException.of(
                    "the following required arguments were not provided:\n  " + String.join("\n  ", missing),
                    "",
                    HelpText.requiredUsage(spec));
        }
    }
}
