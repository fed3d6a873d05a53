package io.portcullis.process.args;

import java.util.List;
import java.util.Optional;

/** The kind of value that an option takes after its name. */
public sealed interface OptionValue {

    /** No value. The parser also accepts {@code --name=true} and {@code --name=false}. */
    record Flag() implements OptionValue {}

    /**
     * {@code true} or {@code false}, attached or as the next argument; {@code true} without a value. The user may repeat the
     * option.
     */
    record OnOff() implements OptionValue {}

    /** Exactly one value, once. An empty list of choices means any text. */
    record One(String placeholder, List<String> choices, Optional<String> standard) implements OptionValue {
        public One {
            choices = List.copyOf(choices);
        }
    }

    /** One value per occurrence; the user may repeat the option. */
    record Many(String placeholder) implements OptionValue {}

    /**
     * A list of values.
     *
     * <p>The user joins values by commas, repeats the option, or gives several arguments in a row while they belong to the
     * list. The option without any value is the empty list, which differs from an absent option.
     */
    record Words(String placeholder, WordRule belongs) implements OptionValue {}

    /** Decides whether an argument still belongs to the list, or is already the next argument. */
    @FunctionalInterface
    interface WordRule {
        boolean test(String word);
    }

    /** Returns the value as usage lines show it; empty for flags and switches. */
    default String display() {
        return switch (this) {
            case Flag(), OnOff() -> "";
            case One(var placeholder, var _, var _) -> " <" + placeholder + ">";
            case Many(var placeholder) -> " <" + placeholder + ">";
            case Words(var placeholder, var _) -> " <" + placeholder + ">...";
        };
    }

    default List<String> possible() {
        return this instanceof One(var _, var choices, var _) ? choices : List.of();
    }
}
