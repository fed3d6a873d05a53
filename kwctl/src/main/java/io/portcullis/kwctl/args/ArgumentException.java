package io.portcullis.kwctl.args;

/** The command line cannot be understood. The message is the whole text for standard error. */
public final class ArgumentException extends RuntimeException {

    private ArgumentException(String message) {
        super(message);
    }

    /**
     * @param problem first line, without the {@code error:} in front, and lines that belong to it
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
