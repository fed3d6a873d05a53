package io.portcullis.kwctl.cluster;

import java.util.regex.Pattern;

/**
 * Sanitises text from the cluster for the terminal.
 *
 * <p>Conditions contain text of modules and registries. Replaces characters that could control the terminal or break a
 * table row with a space.
 */
final class PlainText {

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+");

    private PlainText() {}

    static String of(String text) {
        return UNPRINTABLE.matcher(text).replaceAll(" ").strip();
    }
}
