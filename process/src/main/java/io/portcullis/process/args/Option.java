package io.portcullis.process.args;

import java.util.List;
import java.util.Optional;

/**
 * A named argument of a command. Immutable; the {@code with…} and {@link #required} methods return changed copies.
 *
 * @param shortName one letter, without the dash
 * @param longName without the dashes
 * @param aliases further long names that the parser accepts and help does not show
 */
public record Option(
        Optional<Character> shortName,
        String longName,
        List<String> aliases,
        OptionValue value,
        boolean isRequired,
        String help) {

    public Option {
        aliases = List.copyOf(aliases);
    }

    public static Option flag(String longName, String help) {
        return new Option(Optional.empty(), longName, List.of(), new OptionValue.Flag(), false, help);
    }

    /** A switch, which the user turns on or off. The texts of the values are not parsed here. */
    public static Option onOff(String longName, String help) {
        return new Option(Optional.empty(), longName, List.of(), new OptionValue.OnOff(), false, help);
    }

    public static Option one(String longName, String placeholder, String help) {
        return new Option(
                Optional.empty(),
                longName,
                List.of(),
                new OptionValue.One(placeholder, List.of(), Optional.empty()),
                false,
                help);
    }

    public static Option choice(String longName, String placeholder, List<String> choices, String help) {
        return new Option(
                Optional.empty(),
                longName,
                List.of(),
                new OptionValue.One(placeholder, choices, Optional.empty()),
                false,
                help);
    }

    public static Option many(String longName, String placeholder, String help) {
        return new Option(Optional.empty(), longName, List.of(), new OptionValue.Many(placeholder), false, help);
    }

    public static Option words(String longName, String placeholder, OptionValue.WordRule belongs, String help) {
        return new Option(
                Optional.empty(), longName, List.of(), new OptionValue.Words(placeholder, belongs), false, help);
    }

    public Option withShort(char letter) {
        return new Option(Optional.of(letter), longName, aliases, value, isRequired, help);
    }

    public Option withAlias(String alias) {
        return new Option(shortName, longName, List.of(alias), value, isRequired, help);
    }

    public Option required() {
        return new Option(shortName, longName, aliases, value, true, help);
    }

    /** Sets the default value, for the help text. Commands read it with {@link ParsedArguments#orDefault}. */
    public Option withDefault(String standard) {
        return value instanceof OptionValue.One(var placeholder, var choices, var _)
                ? new Option(
                        shortName,
                        longName,
                        aliases,
                        new OptionValue.One(placeholder, choices, Optional.of(standard)),
                        isRequired,
                        help)
                : this;
    }

    public boolean takesValue() {
        return !(value instanceof OptionValue.Flag || value instanceof OptionValue.OnOff);
    }

    boolean hasLongName(String name) {
        return longName.equals(name) || aliases.contains(name);
    }

    /** Returns the option as usage lines and errors show it, for example {@code --request-path <PATH>}. */
    public String display() {
        return "--" + longName + value.display();
    }
}
