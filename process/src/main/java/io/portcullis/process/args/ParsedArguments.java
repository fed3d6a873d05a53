package io.portcullis.process.args;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The arguments that the user gave to a command. The parser guarantees that required arguments are present. */
public final class ParsedArguments {

    private final Map<String, List<String>> options;
    private final List<String> positionals;

    ParsedArguments(Map<String, List<String>> options, List<String> positionals) {
        this.options = Map.copyOf(options);
        this.positionals = List.copyOf(positionals);
    }

    public boolean has(Option option) {
        return options.containsKey(option.longName());
    }

    /** Returns the value of an option that takes one. */
    public Optional<String> value(Option option) {
        return values(option).stream().findFirst();
    }

    /** Returns the value of a required option. */
    public String required(Option option) {
        return value(option).orElseThrow(() -> new IllegalStateException(option.display() + " is not required"));
    }

    /** Returns the given value, or the default value that the option declares. */
    public String orDefault(Option option) {
        return value(option).orElseGet(() -> {
            if (option.value() instanceof OptionValue.One(var _, var _, var standard) && standard.isPresent()) {
                return standard.get();
            }
            throw new IllegalStateException(option.display() + " has no standard value");
        });
    }

    public List<String> values(Option option) {
        return options.getOrDefault(option.longName(), List.of());
    }

    public String first() {
        return positionals.getFirst();
    }

    public List<String> positionals() {
        return positionals;
    }
}
