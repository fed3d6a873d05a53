package io.portcullis.evaluator.rego.value;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.TreeMap;
import java.util.TreeSet;

/** Parses values: JSON, or Rego's notation with sets and keys of any type. */
public final class ValueParser {

    private static final int MAX_DEPTH = 1_000;

    private final String text;
    private int position;
    private int depth;

    private ValueParser(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if the text is not exactly one value */
    public static RegoValue parse(String text) {
        var parser = new ValueParser(text);
        parser.skipSpace();
        var value = parser.value();
        parser.skipSpace();
        if (parser.position != text.length()) {
            throw parser.unexpected();
        }
        return value;
    }

    private RegoValue value() {
        if (++depth > MAX_DEPTH) {
            throw new IllegalArgumentException("value is nested too deeply");
        }
        var value = switch (peek()) {
            case '"' -> new RegoValue.StringValue(string());
            case '[' -> array();
            case '{' -> braces();
            case 't' -> word("true", RegoValue.BooleanValue.TRUE);
            case 'f' -> word("false", RegoValue.BooleanValue.FALSE);
            case 'n' -> word("null", RegoValue.NullValue.NULL);
            case 's' -> word("set()", new RegoValue.SetValue(new TreeSet<>()));
            default -> number();
        };
        depth--;
        return value;
    }

    private RegoValue word(String word, RegoValue value) {
        if (!text.startsWith(word, position)) {
            throw unexpected();
        }
        position += word.length();
        return value;
    }

    private RegoValue array() {
        position++;
        var items = new ArrayList<RegoValue>();
        skipSpace();
        while (peek() != ']') {
            items.add(value());
            separator(']');
        }
        position++;
        return new RegoValue.ArrayValue(items);
    }

    /** Parses an object or a set; a colon after the first value decides. */
    private RegoValue braces() {
        position++;
        skipSpace();
        if (peek() == '}') {
            position++;
            return new RegoValue.ObjectValue(new TreeMap<>());
        }
        var first = value();
        skipSpace();
        return peek() == ':' ? object(first) : set(first);
    }

    private RegoValue object(RegoValue firstKey) {
        var fields = new TreeMap<RegoValue, RegoValue>();
        var key = firstKey;
        while (true) {
            skipSpace();
            expect(':');
            skipSpace();
            fields.put(key, value());
            separator('}');
            if (peek() == '}') {
                position++;
                return new RegoValue.ObjectValue(fields);
            }
            key = value();
        }
    }

    private RegoValue set(RegoValue first) {
        var items = new TreeSet<RegoValue>();
        items.add(first);
        separator('}');
        while (peek() != '}') {
            items.add(value());
            separator('}');
        }
        position++;
        return new RegoValue.SetValue(items);
    }

    /** Expects a comma and another item, or the end. */
    private void separator(char close) {
        skipSpace();
        if (peek() == ',') {
            position++;
            skipSpace();
            if (peek() == close) {
                throw unexpected();
            }
        } else if (peek() != close) {
            throw unexpected();
        }
    }

    private RegoValue number() {
        int start = position;
        while (position < text.length() && "+-.0123456789eE".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        var digits = text.substring(start, position);
        if (digits.length() > RegoValue.MAX_NUMBER_LENGTH) {
            throw new IllegalArgumentException("a number has more than " + RegoValue.MAX_NUMBER_LENGTH + " characters");
        }
        try {
            var number = new BigDecimal(digits);
            if (Math.abs((long) number.scale()) > RegoValue.MAX_NUMBER_LENGTH) {
                throw new IllegalArgumentException(
                        "the exponent of a number is larger than " + RegoValue.MAX_NUMBER_LENGTH);
            }
            return new RegoValue.NumberValue(digits, number);
        } catch (NumberFormatException e) {
            position = start;
            throw unexpected();
        }
    }

    private String string() {
        position++;
        var out = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                return out.toString();
            }
            out.append(c == '\\' ? escape() : c);
        }
    }

    private char escape() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (position + 4 > text.length()) {
                    throw unexpected();
                }
                int code = Integer.parseInt(text, position, position + 4, 16);
                position += 4;
                yield (char) code;
            }
            default -> throw unexpected();
        };
    }

    private char next() {
        if (position >= text.length()) {
            throw unexpected();
        }
        return text.charAt(position++);
    }

    private char peek() {
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private void expect(char c) {
        if (peek() != c) {
            throw unexpected();
        }
        position++;
    }

    private void skipSpace() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException(
                position < text.length()
                        ? "unexpected character '" + text.charAt(position) + "' at offset " + position
                        : "unexpected end of value");
    }
}
