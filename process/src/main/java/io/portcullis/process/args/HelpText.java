package io.portcullis.process.args;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Renders help and usage lines. */
public final class HelpText {

    private static final String INDENT = "  ";
    private static final String TEXT_INDENT = " ".repeat(10);
    private static final int WIDTH = 100;

    private HelpText() {}

    /** A row of a two-column list. */
    public record Row(String term, String text) {}

    /** Returns the text that {@code -h} (short) and {@code --help} (long) print for a command. */
    public static String of(CommandSpec spec, List<Option> globals, boolean longForm) {
        var text = opening(spec.summary(), longForm ? spec.description() : "", usage(spec));
        if (!spec.positionals().isEmpty()) {
            text.append("\nArguments:\n");
            text.append(columns(spec.positionals().stream()
                    .map(positional -> new Row(positional.display(), positional.help()))
                    .toList()));
        }
        return text.append("\nOptions:\n").append(columns(rows(spec, globals))).toString();
    }

    /**
     * Returns the help of a command whose options have long texts: each option is a line of its own, with its text below.
     *
     * @param commands the subcommands, may be empty
     */
    public static String ofProgram(CommandSpec spec, List<Option> globals, List<Row> commands) {
        var text = opening(spec.summary(), "", usage(spec) + (commands.isEmpty() ? "" : " [COMMAND]"));
        if (!commands.isEmpty()) {
            text.append("\nCommands:\n").append(columns(commands));
        }
        text.append("\nOptions:\n");
        return rows(spec, globals).stream()
                .map(row -> INDENT + row.term() + "\n" + paragraph(row.text()) + "\n")
                .collect(Collectors.joining("\n", text, ""));
    }

    private static String paragraph(String text) {
        var lines = new StringBuilder();
        var line = new StringBuilder();
        for (var word : text.split(" ", -1)) {
            if (!line.isEmpty() && TEXT_INDENT.length() + line.length() + 1 + word.length() > WIDTH) {
                lines.append(TEXT_INDENT).append(line).append('\n');
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        return lines.append(TEXT_INDENT).append(line).toString();
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

    private static List<Row> rows(CommandSpec spec, List<Option> globals) {
        return spec.allOptions(globals).stream().map(HelpText::row).toList();
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
