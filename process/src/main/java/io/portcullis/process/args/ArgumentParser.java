package io.portcullis.process.args;

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
        record Invocation(ParsedArguments arguments) implements Result {}

        /** The user wants to see its help. */
        record HelpRequested(boolean longForm) implements Result {}
    }

    private final CommandSpec spec;
    private final List<Option> globals;
    private final List<Option> known;
    private final List<String> words;
    private final Map<String, List<String>> options = new LinkedHashMap<>();
    private final List<String> positionals = new ArrayList<>();
    private int next;

    private ArgumentParser(CommandSpec spec, List<Option> globals, List<String> words) {
        this.spec = spec;
        this.globals = globals;
        this.known = spec.allOptions(globals);
        this.words = words;
    }

    /**
     * Parses the arguments of one command.
     *
     * @param globals options that every command of the program takes, unless the command has an option of the same name. The
     *     user may repeat them. One with the name {@code help} asks for help.
     * @throws ArgumentException when the arguments do not match the command
     */
    public static Result parse(CommandSpec spec, List<Option> globals, List<String> words) {
        return new ArgumentParser(spec, globals, words).parse();
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
        return new Result.Invocation(new ParsedArguments(options, positionals));
    }

    private static boolean looksLikeOption(String word) {
        return word.length() > 1 && word.charAt(0) == '-';
    }

    private boolean asksForHelp(String word) {
        return (word.equals("-h") || word.equals("--help"))
                && globals.stream().anyMatch(option -> option.longName().equals("help") && known.contains(option));
    }

    private void addPositional(String word) {
        var places = spec.positionals();
        if (positionals.size() >= places.size()
                && (places.isEmpty() || !places.getLast().repeats())) {
            throw ArgumentException.unexpected(word, word, Optional.empty(), "", HelpText.usage(spec));
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
            case OptionValue.OnOff() -> valuesOf(option).add(attached.orElseGet(this::switchValue));
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

    /** Returns the argument after a switch, if there is one that is not an option, else {@code true}. */
    private String switchValue() {
        return next >= words.size() || looksLikeOption(words.get(next)) ? "true" : words.get(next++);
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
        if (options.containsKey(option.longName()) && !globals.contains(option)) {
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
        return ArgumentException.unexpected(words.get(next - 1), given, similar, tip, HelpText.usage(spec));
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
