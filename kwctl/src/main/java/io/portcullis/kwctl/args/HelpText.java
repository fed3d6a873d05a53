package io.portcullis.kwctl.args;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Renders help and usage lines. */
public final class HelpText {

    private static final String INDENT = "  ";

    private HelpText() {}

    /** A row of a two-column list. */
    public record Row(String term, String text) {}

    /** Returns the text that {@code -h} (short) and {@code --help} (long) print for a command. */
    public static String of(CommandSpec spec, boolean longForm) {
        var text = opening(spec.summary(), longForm ? spec.description() : "", usage(spec));
        if (!spec.positionals().isEmpty()) {
            text.append("\nArguments:\n");
            text.append(columns(spec.positionals().stream()
                    .map(positional -> new Row(positional.display(), positional.help()))
                    .toList()));
        }
        return text.append("\nOptions:\n").append(columns(optionRows(spec))).toString();
    }

    /** Returns the help of a command that only contains subcommands. */
    public static String ofGroup(String path, String summary, List<Row> commands, List<Option> options, String more) {
        var text = opening(summary, "", path + (options.isEmpty() ? "" : " [OPTIONS]") + " <COMMAND>");
        text.append("\nCommands:\n").append(columns(commands));
        text.append("\nOptions:\n")
                .append(columns(options.stream().map(HelpText::row).toList()));
        return more.isEmpty()
                ? text.toString()
                : text.append('\n').append(more).append('\n').toString();
    }

    private static StringBuilder opening(String summary, String description, String usage) {
        var text = new StringBuilder(summary).append("\n\n");
        if (!description.isEmpty()) {
            text.append(description.strip()).append("\n\n");
        }
        return text.append("Usage: ").append(usage).append('\n');
    }

    /** Returns the usage line, with {@code [OPTIONS]} for all optional options. */
    public static String usage(CommandSpec spec) {
        return spec.path() + " [OPTIONS]" + requiredParts(spec);
    }

    /** Returns the usage line with required arguments only. */
    static String requiredUsage(CommandSpec spec) {
        return spec.path() + requiredParts(spec);
    }

    private static String requiredParts(CommandSpec spec) {
        var parts = new ArrayList<String>();
        spec.options().stream().filter(Option::isRequired).map(Option::display).forEach(parts::add);
        spec.positionals().stream().map(Positional::display).forEach(parts::add);
        return parts.stream().map(part -> " " + part).collect(Collectors.joining());
    }

    /** Returns the command's own options and the global options that it does not replace, in alphabetical order. */
    public static List<Option> allOptions(CommandSpec spec) {
        return CommandSpec.of(spec.path(), "")
                .with(spec.options())
                .with(Globals.OPTIONS.stream()
                        .filter(global -> spec.options().stream()
                                .noneMatch(own -> own.longName().equals(global.longName())))
                        .map(global -> hidesShortName(spec, global) ? withoutShort(global) : global)
                        .toList())
                .options();
    }

    private static boolean hidesShortName(CommandSpec spec, Option global) {
        return global.shortName().isPresent()
                && spec.options().stream().anyMatch(own -> own.shortName().equals(global.shortName()));
    }

    private static Option withoutShort(Option option) {
        return Option.flag(option.longName(), option.help());
    }

    private static List<Row> optionRows(CommandSpec spec) {
        return allOptions(spec).stream().map(HelpText::row).toList();
    }

    /** Renders an option as a row of a list, with its choices and default value. */
    public static Row row(Option option) {
        var term = option.shortName().map(letter -> "-" + letter + ", ").orElse("    ") + option.display();
        var text = new StringBuilder(option.help());
        if (option.value() instanceof OptionValue.One(var _, var choices, var standard)) {
            standard.ifPresent(value -> text.append(" [default: ").append(value).append(']'));
            if (!choices.isEmpty()) {
                text.append(" [possible values: ")
                        .append(String.join(", ", choices))
                        .append(']');
            }
        }
        return new Row(term, text.toString());
    }

    private static String columns(List<Row> rows) {
        var width = rows.stream().mapToInt(row -> row.term().length()).max().orElse(0);
        return rows.stream()
                .map(row -> INDENT + row.term() + " ".repeat(width - row.term().length() + 2) + row.text())
                .map(String::stripTrailing)
                .collect(Collectors.joining("\n", "", "\n"));
    }
}
