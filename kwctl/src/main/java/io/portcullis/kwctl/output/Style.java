package io.portcullis.kwctl.output;

import java.util.regex.Pattern;

/** Terminal styles. When styles are off, text stays unchanged. */
public enum Style {
    BOLD("1"),
    UNDERLINE("4"),
    DIM("2"),
    RED("31"),
    GREEN("32"),
    YELLOW("33"),
    CYAN("36");

    private static final Pattern ESCAPE = Pattern.compile("\u001b\\[[0-9;]*m");

    private final String code;

    Style(String code) {
        this.code = code;
    }

    public String apply(String text, boolean styled) {
        return styled ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    /** Returns the width of a text on the screen, in characters. */
    public static int width(String text) {
        var visible = text.indexOf('\u001b') < 0 ? text : ESCAPE.matcher(text).replaceAll("");
        return visible.codePointCount(0, visible.length());
    }
}
