package io.portcullis.kwctl.cluster;

import java.util.regex.Pattern;

/**
 * Text from the cluster on its way to a terminal. Conditions carry words of modules and registries, so whatever could steer the
 * terminal, or break a line of a table, becomes a blank.
 */
final class PlainText {

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+");

    private PlainText() {}

    static String of(String text) {
        return UNPRINTABLE.matcher(text).replaceAll(" ").strip();
    }
}
