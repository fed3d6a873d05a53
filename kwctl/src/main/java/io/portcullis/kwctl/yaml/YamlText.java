package io.portcullis.kwctl.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Writes a JSON tree as block-style YAML: two spaces, list items at the level of their key, explicit {@code null}, literal
 * blocks for multi-line text, quotes only where a parser would misread the value.
 */
public final class YamlText {

    private static final Set<String> WORDS = Set.of(
            "", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes", "YES",
            "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N");
    private static final Pattern NUMBER = Pattern.compile(
            "[-+]?(\\.?[0-9][0-9_]*(\\.[0-9]*)?([eE][-+]?[0-9]+)?|0x[0-9a-fA-F]+|0o[0-7]+|\\.inf|\\.Inf|\\.INF)|\\.nan|\\.NaN");
    private static final Pattern PLAIN = Pattern.compile("[^\\s\\-?:,\\[\\]{}#&*!|>'\"%@`=].*|[-?:][^\\s].*");
    private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}.*");

    private final StringBuilder text = new StringBuilder();

    private YamlText() {}

    /** Returns the document with a final line break and without a leading {@code ---}. */
    public static String of(JsonNode node) {
        var writer = new YamlText();
        switch (node) {
            case ObjectNode object when !object.isEmpty() -> writer.object(object, 0, false);
            case ArrayNode array when !array.isEmpty() -> writer.array(array, 0);
            default -> writer.text.append(writer.scalar(node, 0)).append('\n');
        }
        return writer.text.toString();
    }

    private void object(ObjectNode object, int depth, boolean continuesLine) {
        var first = continuesLine;
        for (var field : object.properties()) {
            text.append(first ? "" : indent(depth)).append(key(field.getKey())).append(':');
            first = false;
            value(field.getValue(), depth);
        }
    }

    private void value(JsonNode node, int depth) {
        switch (node) {
            case ObjectNode object
            when !object.isEmpty() -> {
                text.append('\n');
                object(object, depth + 1, false);
            }
            case ArrayNode array
            when !array.isEmpty() -> {
                text.append('\n');
                array(array, depth);
            }
            default -> text.append(' ').append(scalar(node, depth + 1)).append('\n');
        }
    }

    private void array(ArrayNode array, int depth) {
        for (var element : array) {
            text.append(indent(depth)).append("- ");
            switch (element) {
                case ObjectNode object when !object.isEmpty() -> object(object, depth + 1, true);
                case ArrayNode nested
                when !nested.isEmpty() -> {
                    var at = text.length();
                    array(nested, depth + 1);
                    text.delete(at, at + indent(depth + 1).length());
                }
                default -> text.append(scalar(element, depth + 1)).append('\n');
            }
        }
    }

    private String scalar(JsonNode node, int depth) {
        return switch (node.getNodeType()) {
            case STRING -> scalarText(node.textValue(), depth);
            case ARRAY -> "[]";
            case OBJECT -> "{}";
            case BINARY, BOOLEAN, MISSING, NULL, NUMBER, POJO -> node.asText();
        };
    }

    /** Renders a key on one line. */
    private static String key(String name) {
        return name.contains("\n") ? doubleQuoted(name) : scalarText(name, 0);
    }

    private static String scalarText(String value, int depth) {
        if (value.chars().anyMatch(c -> (c < ' ' && c != '\n') || c == 0x7f)) {
            return doubleQuoted(value);
        }
        if (value.contains("\n")) {
            return literal(value, depth);
        }
        var ambiguous = WORDS.contains(value)
                || NUMBER.matcher(value).matches()
                || DATE.matcher(value).matches()
                || !PLAIN.matcher(value).matches()
                || value.endsWith(" ")
                || value.endsWith(":")
                || value.contains(": ")
                || value.contains(" #");
        return ambiguous ? "'" + value.replace("'", "''") + "'" : value;
    }

    /** Renders a literal block. The indicator after the bar encodes the trailing line breaks. */
    private static String literal(String value, int depth) {
        if (value.startsWith(" ") || value.startsWith("\n") || value.isBlank()) {
            return doubleQuoted(value);
        }
        var ending = !value.endsWith("\n") ? "-" : value.endsWith("\n\n") ? "+" : "";
        var body = new StringBuilder("|").append(ending);
        var content = value.endsWith("\n") ? value.substring(0, value.length() - 1) : value;
        for (var line : content.split("\n", -1)) {
            body.append('\n').append(line.isEmpty() ? "" : indent(Math.max(depth, 1)) + line);
        }
        return body.toString();
    }

    private static String doubleQuoted(String value) {
        var quoted = new StringBuilder("\"");
        for (var i = 0; i < value.length(); i++) {
            var c = value.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                case '\r' -> quoted.append("\\r");
                default -> quoted.append(c < ' ' || c == 0x7f ? "\\x%02x".formatted((int) c) : String.valueOf(c));
            }
        }
        return quoted.append('"').toString();
    }

    private static String indent(int depth) {
        return "  ".repeat(depth);
    }
}
