package io.portcullis.evaluator.rego.builtin.format;

/** Quotes strings and characters like Go's {@code strconv}. */
public final class GoQuote {

    private GoQuote() {}

    public static String quote(String text, boolean asciiOnly) {
        var out = new StringBuilder("\"");
        text.codePoints().forEach(c -> append(out, c, '"', asciiOnly));
        return out.append('"').toString();
    }

    static String quoteRune(String character, boolean asciiOnly) {
        var out = new StringBuilder("'");
        append(out, character.codePointAt(0), '\'', asciiOnly);
        return out.append('\'').toString();
    }

    static boolean canBackquote(String text) {
        return text.codePoints().noneMatch(c -> c == '`' || c == 0xfeff || (c < ' ' && c != '\t') || c == 0x7f);
    }

    private static void append(StringBuilder out, int c, char quote, boolean asciiOnly) {
        if (c == quote || c == '\\') {
            out.append('\\').append((char) c);
        } else if (isPrintable(c) && (!asciiOnly || c < 0x80)) {
            out.appendCodePoint(c);
        } else {
            escape(out, c);
        }
    }

    private static void escape(StringBuilder out, int c) {
        switch (c) {
            case 7 -> out.append("\\a");
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            case 11 -> out.append("\\v");
            default -> {
                if (c < ' ' || c == 0x7f) {
                    out.append("\\x%02x".formatted(c));
                } else if (c < 0x10000) {
                    out.append("\\u%04x".formatted(c));
                } else {
                    out.append("\\U%08x".formatted(c));
                }
            }
        }
    }

    private static boolean isPrintable(int c) {
        if (c == ' ') {
            return true;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
