package io.portcullis.evaluator.rego.builtin.yaml;

import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.format.GoFloat;
import io.portcullis.evaluator.rego.builtin.format.GoQuote;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.regex.Pattern;

/** Writes YAML in go-yaml's layout: block style, two spaces, quotes only if plain text would have another meaning. */
final class YamlWriter {

    private static final Pattern SPECIAL_WORD =
            Pattern.compile("(?i:y|yes|n|no|on|off|true|false|null|~|\\.inf|[-+]\\.inf|\\.nan)|<<|=");
    private static final Pattern NUMBER_OR_TIME =
            Pattern.compile("[-+]?(\\.[0-9]+|[0-9][0-9_]*(\\.[0-9_]*)?)([eE][-+]?[0-9]+)?|[-+]?0[xob][0-9a-fA-F_]+"
                    + "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?");
    private static final Pattern UNSAFE = Pattern.compile(
            "[-?:](\\s.*)?|[,\\[\\]{}#&*!|>'\"%@`].*|[\\s].*|.*[\\s]|.*:(\\s.*)?|.*\\s#.*|---.*|\\.\\.\\..*",
            Pattern.DOTALL);

    private final StringBuilder out = new StringBuilder();

    private final EvaluationScope scope;

    private YamlWriter(EvaluationScope scope) {
        this.scope = scope;
    }

    static String write(RegoValue value, EvaluationScope scope) {
        var writer = new YamlWriter(scope);
        writer.node(value, 0, false);
        return writer.out.append('\n').toString();
    }

    /** @param inline whether other text precedes the value on its line */
    private void node(RegoValue value, int indent, boolean inline) {
        switch (value) {
            case ArrayValue(var items)
            when !items.isEmpty() -> {
                boolean first = true;
                for (var item : items) {
                    line(first && !inline, indent);
                    out.append("- ");
                    node(item, indent + 2, false);
                    first = false;
                }
            }
            case ObjectValue object
            when !object.fields().isEmpty() -> {
                boolean first = true;
                for (var field : object.fields().entrySet()) {
                    line(first && !inline, indent);
                    node(field.getKey(), indent, false);
                    out.append(':');
                    nested(field.getValue(), indent);
                    first = false;
                }
            }
            case RegoValue scalar -> out.append(scalar(scalar, indent));
        }
    }

    private void nested(RegoValue value, int indent) {
        switch (value) {
            case ArrayValue(var items) when !items.isEmpty() -> node(value, indent + 2, true);
            case ObjectValue object when !object.fields().isEmpty() -> node(value, indent + 2, true);
            case RegoValue scalar -> out.append(' ').append(scalar(scalar, indent + 2));
        }
    }

    private void line(boolean here, int indent) {
        scope.countSteps(10);
        scope.checkSize(out.length() + indent);
        if (!here) {
            out.append('\n').append(" ".repeat(indent));
        }
    }

    private String scalar(RegoValue value, int indent) {
        return switch (value) {
            case StringValue(var text) -> text(text, indent);
            case NumberValue number
            when number.isWrittenAsFloat() -> GoFloat.shortest(number.value().doubleValue(), 'g', 21);
            case ArrayValue _ -> "[]";
            case ObjectValue _ -> "{}";
            case RegoValue other -> other.toString();
        };
    }

    private String text(String text, int indent) {
        if (text.isEmpty()
                || SPECIAL_WORD.matcher(text).matches()
                || NUMBER_OR_TIME.matcher(text).matches()) {
            return '"' + text + '"';
        }
        boolean printable = text.chars().allMatch(c -> c >= ' ' || c == '\n');
        if (printable && text.indexOf('\n') >= 0) {
            return block(text, indent);
        }
        if (!printable) {
            return GoQuote.quote(text, false);
        }
        return UNSAFE.matcher(text).matches() ? "'" + text.replace("'", "''") + "'" : text;
    }

    private String block(String text, int indent) {
        var chomp = text.endsWith("\n\n") || text.equals("\n") ? "+" : text.endsWith("\n") ? "" : "-";
        var hint = text.startsWith(" ") || text.startsWith("\n") ? "2" : "";
        var out = new StringBuilder("|").append(hint).append(chomp);
        var body = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        for (var line : body.split("\n", -1)) {
            scope.countSteps(10);
            scope.checkSize(this.out.length() + out.length() + indent);
            out.append('\n')
                    .append(line.isEmpty() ? "" : " ".repeat(Math.max(2, indent)))
                    .append(line);
        }
        return out.toString();
    }
}
