package io.portcullis.evaluator.json;

import io.portcullis.evaluator.json.JsonException.Kind;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Scans one JSON document in UTF-8, once, from start to end. It is strict: it rejects comments and nesting of {@link
 * #MAXIMUM_DEPTH} or more, and returns duplicate keys to the caller. Error texts and positions match serde_json,
 * because users of Kubewarden are used to them. Confined to one thread.
 */
public final class JsonScanner {

    /** The nesting depth of containers from which on a document is rejected. */
    public static final int MAXIMUM_DEPTH = 128;

    /** The maximum number of characters of the document that a message quotes. */
    private static final int MAX_QUOTE_LENGTH = 200;

    private static final int END = -1;
    private static final int NO_KEY = Integer.MIN_VALUE;
    private static final boolean[] PLAIN = plainCharacters();

    private final byte[] input;
    private int position;

    /**
     * For each open container: the offset of the current key, the complement of the current index, or {@link #NO_KEY}.
     */
    private final int[] steps = new int[MAXIMUM_DEPTH];

    private int depth;

    public JsonScanner(byte[] input) {
        this.input = input;
    }

    /** The offset of the next byte; after {@link #peek}, the start of the next value. */
    public int position() {
        return position;
    }

    /** Skips white space and returns the first byte of the next value. */
    public int peek() {
        int next = skipWhitespace();
        if (next == END) {
            throw atNext("EOF while parsing a value");
        }
        return next;
    }

    /** Skips any value. */
    public void skipValue() {
        switch (peek()) {
            case '{' -> {
                open();
                while (nextMember()) {
                    skipValue();
                }
            }
            case '[' -> {
                open();
                while (nextItem()) {
                    skipValue();
                }
            }
            case '"' -> skipString();
            case 't' -> skipLiteral("true");
            case 'f' -> skipLiteral("false");
            case 'n' -> skipLiteral("null");
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> skipNumber();
            default -> throw atNext("expected value");
        }
    }

    /** Skips {@code null} if it is the next value. */
    public boolean skipNull() {
        if (peek() != 'n') {
            return false;
        }
        skipLiteral("null");
        return true;
    }

    /** Enters an object. The caller then calls {@link #nextKey} until it returns null. */
    public void enterObject(String expected) {
        if (peek() != '{') {
            throw unexpected(expected);
        }
        open();
    }

    /** Moves to the value of the next member, or leaves the object. */
    public @Nullable String nextKey() {
        return nextMember() ? JsonText.at(steps[depth - 1], input) : null;
    }

    /** Enters a list. The caller then calls {@link #nextItem} until it returns false. */
    public void enterList(String expected) {
        if (peek() != '[') {
            throw unexpected(expected);
        }
        open();
    }

    /** Moves to the next item, or leaves the list. */
    public boolean nextItem() {
        int index = steps[depth - 1] == NO_KEY ? 0 : ~steps[depth - 1] + 1;
        int next = nextInContainer(']', index == 0, "EOF while parsing a list", "expected `,` or `]`");
        if (next == ']') {
            return false;
        }
        steps[depth - 1] = ~index;
        return true;
    }

    public String readString() {
        if (peek() != '"') {
            throw unexpected("a string");
        }
        int start = position;
        skipString();
        return JsonText.at(start, input);
    }

    public boolean readBoolean() {
        int next = peek();
        if (next != 't' && next != 'f') {
            throw unexpected("a boolean");
        }
        skipLiteral(next == 't' ? "true" : "false");
        return next == 't';
    }

    /** Reads an integer from 0 to 65535. */
    public int readU16() {
        int next = peek();
        if (next != '-' && (next < '0' || next > '9')) {
            throw unexpected("u16");
        }
        int start = position;
        boolean integral = skipNumber();
        var literal = quotable(start);
        if (!integral) {
            throw shape("invalid type: floating point `" + literal + "`, expected u16");
        }
        if (literal.length() > 5 || next == '-' || Integer.parseInt(literal) > 0xffff) {
            throw shape("invalid value: integer `" + literal + "`, expected u16");
        }
        return Integer.parseInt(literal);
    }

    /** Checks that only white space is left. */
    public void finish() {
        if (skipWhitespace() != END) {
            throw atNext("trailing characters");
        }
    }

    /**
     * Creates the exception for valid JSON of an unexpected shape. Its position is directly after the last byte read.
     */
    public JsonException shape(String problem) {
        return new JsonException(Kind.SHAPE, path(), problem + at(position));
    }

    private JsonException unexpected(String expected) {
        int first = peek();
        int start = position;
        if (first != '{' && first != '[') {
            skipValue();
        }
        var literal = quotable(start);
        var found = switch (first) {
            case '{' -> "map";
            case '[' -> "sequence";
            case '"' -> "string " + literal;
            case 't', 'f' -> "boolean `" + literal + "`";
            case 'n' -> "null";
            default -> (isIntegral(literal) ? "integer `" : "floating point `") + literal + "`";
        };
        return shape("invalid type: " + found + ", expected " + expected);
    }

    /** Returns the text read since {@code start}, shortened for a message. */
    private String quotable(int start) {
        int length = Math.min(position - start, MAX_QUOTE_LENGTH);
        return new String(input, start, length, StandardCharsets.UTF_8) + (length < position - start ? "…" : "");
    }

    private static boolean isIntegral(String number) {
        return number.chars().allMatch(c -> c == '-' || (c >= '0' && c <= '9'));
    }

    private void open() {
        if (depth == MAXIMUM_DEPTH - 1) {
            throw atNext("recursion limit exceeded");
        }
        position++;
        steps[depth++] = NO_KEY;
    }

    /** Moves behind the colon and stores the key's offset in {@link #steps}. */
    private boolean nextMember() {
        boolean first = steps[depth - 1] == NO_KEY;
        int next = nextInContainer('}', first, "EOF while parsing an object", "expected `,` or `}`");
        if (next == '}') {
            return false;
        }
        if (next != '"') {
            throw atNext("key must be a string");
        }
        int key = position;
        skipString();
        int colon = skipWhitespace();
        if (colon != ':') {
            throw atNext(colon == END ? "EOF while parsing an object" : "expected `:`");
        }
        position++;
        steps[depth - 1] = key;
        return true;
    }

    /** Skips the comma; leaves the container at the closing bracket. */
    private int nextInContainer(int close, boolean first, String atEnd, String otherwise) {
        int next = skipWhitespace();
        if (next == close) {
            position++;
            depth--;
            return next;
        }
        if (next == END) {
            throw atNext(atEnd);
        }
        if (first) {
            return next;
        }
        if (next != ',') {
            throw atNext(otherwise);
        }
        position++;
        next = skipWhitespace();
        if (next == close) {
            throw atNext("trailing comma");
        }
        return next == END ? peek() : next;
    }

    private int skipWhitespace() {
        while (position < input.length) {
            byte next = input[position];
            if (next != ' ' && next != '\n' && next != '\t' && next != '\r') {
                // Use the unsigned value, so that the byte 0xff is not confused with END.
                return next & 0xff;
            }
            position++;
        }
        return END;
    }

    private void skipLiteral(String literal) {
        for (int i = 0; i < literal.length(); i++) {
            if (position == input.length) {
                throw atNext("EOF while parsing a value");
            }
            if (input[position++] != literal.charAt(i)) {
                throw behind("expected ident");
            }
        }
    }

    /** @return whether the number is an integer */
    private boolean skipNumber() {
        if (input[position] == '-') {
            position++;
        }
        if (position < input.length && input[position] == '0') {
            position++;
            if (position < input.length && isDigit(input[position])) {
                throw atNext("invalid number");
            }
        } else {
            skipDigits();
        }
        boolean integral = true;
        if (position < input.length && input[position] == '.') {
            integral = false;
            position++;
            skipDigits();
        }
        if (position < input.length && (input[position] | 0x20) == 'e') {
            integral = false;
            position++;
            if (position < input.length && (input[position] == '+' || input[position] == '-')) {
                position++;
            }
            skipDigits();
        }
        return integral;
    }

    private void skipDigits() {
        if (position == input.length) {
            throw atNext("EOF while parsing a value");
        }
        if (!isDigit(input[position])) {
            throw atNext("invalid number");
        }
        while (position < input.length && isDigit(input[position])) {
            position++;
        }
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private void skipString() {
        int at = position + 1;
        while (true) {
            while (at < input.length && PLAIN[input[at] & 0xff]) {
                at++;
            }
            position = at;
            if (at == input.length) {
                throw atNext("EOF while parsing a string");
            }
            byte next = input[at];
            if (next == '"') {
                position++;
                return;
            }
            if (next == '\\') {
                skipEscape();
            } else if (next < 0) {
                skipMultiByte();
            } else {
                position++;
                throw behind("control character (\\u0000-\\u001F) found while parsing a string");
            }
            at = position;
        }
    }

    private void skipEscape() {
        position++;
        switch (nextInString()) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {}
            case 'u' -> {
                int unit = hexEscape();
                if (Character.isLowSurrogate((char) unit)) {
                    throw behind("lone leading surrogate in hex escape");
                }
                if (Character.isHighSurrogate((char) unit)
                        && (nextInString() != '\\'
                                || nextInString() != 'u'
                                || !Character.isLowSurrogate((char) hexEscape()))) {
                    throw behind("lone leading surrogate in hex escape");
                }
            }
            default -> throw behind("invalid escape");
        }
    }

    private int hexEscape() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(nextInString(), 16);
            if (digit < 0) {
                throw behind("invalid escape");
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private int nextInString() {
        if (position == input.length) {
            throw atNext("EOF while parsing a string");
        }
        return input[position++];
    }

    private void skipMultiByte() {
        int length = JsonText.sequenceLength(input, position);
        if (length == 0) {
            throw behind("invalid unicode code point");
        }
        position += length;
    }

    private JsonException atNext(String problem) {
        return new JsonException(Kind.SYNTAX, path(), problem + at(Math.min(input.length, position + 1)));
    }

    private JsonException behind(String problem) {
        return new JsonException(Kind.SYNTAX, path(), problem + at(position));
    }

    private String at(int offset) {
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < offset; i++) {
            if (input[i] == '\n') {
                line++;
                lineStart = i + 1;
            }
        }
        return " at line " + line + " column " + (offset - lineStart);
    }

    private String path() {
        var path = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            int step = steps[i];
            if (step >= 0) {
                var key = JsonText.at(step, input);
                path.append(path.isEmpty() ? "" : ".")
                        .append(key.length() > MAX_QUOTE_LENGTH ? key.substring(0, MAX_QUOTE_LENGTH) + "…" : key);
            } else if (step != NO_KEY) {
                path.append('[').append(~step).append(']');
            }
        }
        return path.toString();
    }

    private static boolean[] plainCharacters() {
        var plain = new boolean[256];
        for (int c = 0x20; c < 0x80; c++) {
            plain[c] = c != '"' && c != '\\';
        }
        return plain;
    }
}
