package io.portcullis.evaluator.rego.builtin.format;

/** Flags, width and precision of one formatting verb. Filled while the format is parsed, read-only afterwards. */
final class FormatSpec {

    static final int NONE = -1;

    boolean plus;
    boolean minus;
    boolean sharp;
    boolean space;
    boolean zero;
    int width = NONE;
    int precision = NONE;

    /** Sets a flag; returns false if the character is not a flag. */
    boolean flag(char c) {
        switch (c) {
            case '+' -> plus = true;
            case '-' -> minus = true;
            case '#' -> sharp = true;
            case ' ' -> space = true;
            case '0' -> zero = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Returns whether to pad with zeros; zeros pad only on the left. */
    boolean padsWithZeros() {
        return zero && !minus;
    }

    String pad(String text) {
        int missing = width - text.codePointCount(0, text.length());
        if (missing <= 0) {
            return text;
        }
        if (minus) {
            return text + " ".repeat(missing);
        }
        return (padsWithZeros() ? "0" : " ").repeat(missing) + text;
    }
}
