package io.portcullis.kwctl.cli;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The commands by name. Only the command that is asked for is made: loading the classes of all of them would double the time to
 * start.
 */
public sealed interface CommandTree {

    String name();

    String summary();

    /** A command that does something; a hidden one works but is not listed. */
    record Leaf(String name, String summary, boolean isHidden, Supplier<Command> command) implements CommandTree {}

    /** A command that only holds others. */
    record Branch(String name, String summary, List<CommandTree> children) implements CommandTree {

        public Optional<CommandTree> child(String childName) {
            return children.stream()
                    .filter(child -> child.name().equals(childName))
                    .findFirst();
        }

        public List<CommandTree> listed() {
            return children.stream()
                    .filter(child -> !(child instanceof Leaf leaf && leaf.isHidden()))
                    .toList();
        }
    }
}
