package io.portcullis.process.args;

import java.util.Optional;
import java.util.stream.Collectors;

/** The command line is invalid. The message is the complete text for standard error, in the layout of clap. */
public final class ArgumentException extends RuntimeException {

    private final String summary;

    private ArgumentException(String summary, String message) {
        super(message);
        this.summary = summary;
    }

    /** Returns the problem in one line, without a leading {@code error:}, for programs whose output goes to a log. */
    public String summary() {
        return summary;
    }

    /**
     * An argument that is neither an option nor a positional of the command.
     *
     * @param word the argument as the user wrote it
     * @param name the part of it that is unknown
     * @param similar an argument that exists and that the user may have meant
     */
    static ArgumentException unexpected(String word, String name, Optional<String> similar, String tip, String usage) {
        var hint = similar.map(meant -> ", did you mean '" + meant + "'?").orElse("");
        return new ArgumentException(
                "unexpected argument '" + word + "'" + hint,
                layout("unexpected argument '" + name + "' found", tip, usage));
    }

    /**
     * Builds the message in the layout of clap.
     *
     * @param problem the first line without the leading {@code error:}, and its continuation lines
     * @param tip a hint, empty for none
     * @param usage the usage line, empty for none
     */
    public static ArgumentException of(String problem, String tip, String usage) {
        return new ArgumentException(
                problem.lines().map(String::strip).collect(Collectors.joining(" ")), layout(problem, tip, usage));
    }

    private static String layout(String problem, String tip, String usage) {
        var text = new StringBuilder("error: ").append(problem).append("\n\n");
        if (!tip.isEmpty()) {
            text.append("  tip: ").append(tip).append("\n\n");
        }
        if (!usage.isEmpty()) {
            text.append("Usage: ").append(usage).append("\n\n");
        }
        return text.append("For more information, try '--help'.\n").toString();
    }
}
