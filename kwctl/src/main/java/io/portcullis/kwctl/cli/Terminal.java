package io.portcullis.kwctl.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How standard output and error are shown.
 *
 * @param outStyled whether standard output may carry colours and other styles
 * @param errStyled the same of standard error; progress is drawn only then
 * @param width in characters
 */
public record Terminal(boolean outStyled, boolean errStyled, int width) {

    private static final int NARROW = 80;
    private static final int WIDE = 120;

    /** Neither stream is a terminal. */
    public static final Terminal NONE = new Terminal(false, false, NARROW);

    /**
     * @param descriptors which file descriptors are terminals, for example {@code "12"}: Java cannot ask for each of them, the
     *     launcher can
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
