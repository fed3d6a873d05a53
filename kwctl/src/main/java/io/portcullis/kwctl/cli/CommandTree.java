package io.portcullis.kwctl.cli;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The commands by name. Creates only the requested command: loading the classes of all commands would double the start
 * time.
 */
public sealed interface CommandTree {

    String name();

    String summary();

    /** A command that can run. A hidden command works, but help does not list it. */
    record Leaf(String name, String summary, boolean isHidden, Supplier<Command> command) implements CommandTree {}

    /** A command that only contains subcommands. */
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
