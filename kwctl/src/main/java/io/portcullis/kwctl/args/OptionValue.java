package io.portcullis.kwctl.args;

import java.util.List;
import java.util.Optional;

/** What an option takes after its name. */
public sealed interface OptionValue {

    /** Nothing; {@code --name=true} and {@code --name=false} are understood as well. */
    record Flag() implements OptionValue {}

    /** Exactly one value, once. An empty list of choices means any text. */
    record One(String placeholder, List<String> choices, Optional<String> standard) implements OptionValue {
        public One {
            choices = List.copyOf(choices);
        }
    }

    /** One value each time; the option may be repeated. */
    record Many(String placeholder) implements OptionValue {}

    /**
     * A list: values joined by commas, the option repeated, or several words in a row as long as they belong to the list. Given
     * without any value it is the empty list, which differs from not being given.
     */
    record Words(String placeholder, WordRule belongs) implements OptionValue {}

    /** Whether a word still belongs to the list, or is already the next argument. */
    @FunctionalInterface
    interface WordRule {
        boolean test(String word);
    }

    /** How the value is written in usage lines; empty for flags. */
    default String display() {
        return switch (this) {
            case Flag() -> "";
            case One(var placeholder, var _, var _) -> " <" + placeholder + ">";
            case Many(var placeholder) -> " <" + placeholder + ">";
            case Words(var placeholder, var _) -> " <" + placeholder + ">...";
        };
    }

    default List<String> possible() {
        return this instanceof One(var _, var choices, var _) ? choices : List.of();
    }
}
