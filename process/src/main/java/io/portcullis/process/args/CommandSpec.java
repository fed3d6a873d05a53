package io.portcullis.process.args;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The static description of a command: its arguments and help texts.
 *
 * @param path from the program's name to the command's, for example {@code kwctl scaffold manifest}
 * @param summary one line for lists of commands
 * @param description further paragraphs, shown by {@code --help} only; may be empty
 * @param conflicts sets of options of which the user may give at most one
 */
public record CommandSpec(
        String path,
        String summary,
        String description,
        List<Option> options,
        List<Positional> positionals,
        List<List<Option>> conflicts) {

    private static final Comparator<Option> ALPHABETICAL =
            (one, other) -> String.CASE_INSENSITIVE_ORDER.compare(one.longName(), other.longName());

    public CommandSpec {
        options = options.stream().sorted(ALPHABETICAL).toList();
        positionals = List.copyOf(positionals);
        conflicts = List.copyOf(conflicts);
    }

    public static CommandSpec of(String path, String summary) {
        return new CommandSpec(path, summary, "", List.of(), List.of(), List.of());
    }

    public CommandSpec describedBy(String text) {
        return new CommandSpec(path, summary, text, options, positionals, conflicts);
    }

    public CommandSpec with(Option... more) {
        return with(List.of(more));
    }

    public CommandSpec with(List<Option> more) {
        var all = new ArrayList<>(options);
        all.addAll(more);
        return new CommandSpec(path, summary, description, all, positionals, conflicts);
    }

    public CommandSpec taking(Positional... arguments) {
        return new CommandSpec(path, summary, description, options, List.of(arguments), conflicts);
    }

    public CommandSpec exclusive(Option one, Option other) {
        var all = new ArrayList<>(conflicts);
        all.add(List.of(one, other));
        return new CommandSpec(path, summary, description, options, positionals, all);
    }

    /** Returns the command's own options and the global options that it does not replace, in alphabetical order. */
    public List<Option> allOptions(List<Option> globals) {
        return with(globals.stream()
                        .filter(global ->
                                options.stream().noneMatch(own -> own.longName().equals(global.longName())))
                        .map(global -> hidesShortName(global) ? withoutShort(global) : global)
                        .toList())
                .options();
    }

    private boolean hidesShortName(Option global) {
        return global.shortName().isPresent()
                && options.stream().anyMatch(own -> own.shortName().equals(global.shortName()));
    }

    private static Option withoutShort(Option option) {
        return Option.flag(option.longName(), option.help());
    }

    /** Returns the last part of the path. */
    public String name() {
        return path.substring(path.lastIndexOf(' ') + 1);
    }
}
