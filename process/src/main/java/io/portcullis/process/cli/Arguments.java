package io.portcullis.process.cli;

import java.util.Map;
import java.util.Optional;

/** A parsed command line: the given flag, else the environment variable, else the default. Immutable. */
public final class Arguments {

    private final Map<String, String> given;
    private final Map<String, String> environment;

    Arguments(Map<String, String> given, Map<String, String> environment) {
        this.given = Map.copyOf(given);
        this.environment = environment;
    }

    /** @throws UsageException when the value is invalid, or when there is neither a value nor a default */
    public <T> T get(Flag<T> flag) {
        return find(flag).orElseThrow(() -> new UsageException("the option '" + flag.name() + "' needs to be given"));
    }

    /** @throws UsageException when the value is invalid */
    public <T> Optional<T> find(Flag<T> flag) {
        var said = given.get(flag.name());
        if (said != null) {
            return Optional.of(parse(flag, said, "the option '" + flag.name() + "'"));
        }
        var inherited = flag.variable().isEmpty() ? null : environment.get(flag.variable());
        if (inherited != null && !inherited.isBlank()) {
            return Optional.of(parse(flag, inherited, "the environment variable " + flag.variable()));
        }
        return flag.defaultText().map(text -> parse(flag, text, "the default of '" + flag.name() + "'"));
    }

    private static <T> T parse(Flag<T> flag, String text, String source) {
        try {
            return flag.parse().apply(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("invalid value '" + text + "' for " + source + ": " + e.getMessage());
        }
    }
}
