package io.portcullis.kwctl.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of the terminal behind standard output and error.
 *
 * @param outStyled whether standard output may contain colours and other styles
 * @param errStyled whether standard error may contain styles; progress bars are drawn only then
 * @param width in characters
 */
public record Terminal(boolean outStyled, boolean errStyled, int width) {

    private static final int NARROW = 80;
    private static final int WIDE = 120;

    /** Neither stream is a terminal. */
    public static final Terminal NONE = new Terminal(false, false, NARROW);

    /**
     * Detects the capabilities from the file descriptors and the environment.
     *
     * @param descriptors the file descriptors that are terminals, for example {@code "12"}. The launcher passes them,
     *     because Java cannot query each descriptor.
     */
    public static Terminal of(String descriptors, Map<String, String> environment) {
        var plain = !environment.getOrDefault("NO_COLOR", "").isEmpty()
                || environment.getOrDefault("TERM", "").equals("dumb");
        var out = descriptors.contains("1");
        return new Terminal(
                out && !plain, descriptors.contains("2") && !plain, out ? width(environment.get("COLUMNS")) : NARROW);
    }

    public Terminal unstyled() {
        return new Terminal(false, false, width);
    }

    private static int width(@Nullable String columns) {
        try {
            return columns == null ? NARROW : Math.clamp(Integer.parseInt(columns), 20, WIDE);
        } catch (NumberFormatException _) {
            return NARROW;
        }
    }
}
