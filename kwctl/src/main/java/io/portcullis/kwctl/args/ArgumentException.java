package io.portcullis.kwctl.args;

/** The command line is invalid. The message is the complete text for standard error. */
public final class ArgumentException extends RuntimeException {

    private ArgumentException(String message) {
        super(message);
    }

    /**
     * Builds the message in the layout of clap.
     *
     * @param problem the first line without the leading {@code error:}, and its continuation lines
     * @param tip a hint, empty for none
     * @param usage the usage line, empty for none
     */
    public static ArgumentException of(String problem, String tip, String usage) {
        var text = new StringBuilder("error: ").append(problem).append("\n\n");
        if (!tip.isEmpty()) {
            text.append("  tip: ").append(tip).append("\n\n");
        }
        if (!usage.isEmpty()) {
            text.append("Usage: ").append(usage).append("\n\n");
        }
        return new ArgumentException(
                text.append("For more information, try '--help'.\n").toString());
    }
}
