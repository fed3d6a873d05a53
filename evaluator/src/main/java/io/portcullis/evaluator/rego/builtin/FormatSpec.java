package io.portcullis.evaluator.rego.builtin;

/** Flags, width and precision of one verb. Filled while the format is read, then only read. */
final class FormatSpec {

    static final int NONE = -1;

    boolean plus;
    boolean minus;
    boolean sharp;
    boolean space;
    boolean zero;
    int width = NONE;
    int precision = NONE;

    /** Takes a flag; false when the character is none. */
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

    /** Zeros only pad on the left. */
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
