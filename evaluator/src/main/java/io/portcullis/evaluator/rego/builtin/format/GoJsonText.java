package io.portcullis.evaluator.rego.builtin.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import io.portcullis.evaluator.rego.value.ValueWriter;
import java.io.IOException;

/** Reads and writes JSON like Go's {@code encoding/json}: HTML characters are escaped. */
public final class GoJsonText {

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(10_000).build())
            .build();

    private GoJsonText() {}

    public static boolean isValid(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (IOException e) {
            return false;
        }
    }

    public static String compact(RegoValue value) {
        return escapeHtml(ValueWriter.json(value));
    }

    public static String indented(RegoValue value, String prefix, String indent, EvaluationScope scope) {
        var out = new StringBuilder();
        write(out, value, "\n" + prefix, indent, scope);
        return out.toString();
    }

    private static void write(
            StringBuilder out, RegoValue value, String lineStart, String indent, EvaluationScope scope) {
        scope.countSteps(10);
        scope.checkSize((long) out.length() + lineStart.length() + indent.length());
        var inner = lineStart + indent;
        switch (value) {
            case ArrayValue(var items)
            when !items.isEmpty() -> {
                var separator = "[";
                for (var item : items) {
                    out.append(separator).append(inner);
                    write(out, item, inner, indent, scope);
                    separator = ",";
                }
                out.append(lineStart).append(']');
            }
            case ObjectValue object
            when !object.fields().isEmpty() -> {
                var separator = "{";
                for (var field : object.fields().entrySet()) {
                    out.append(separator)
                            .append(inner)
                            .append(compact(field.getKey()))
                            .append(": ");
                    write(out, field.getValue(), inner, indent, scope);
                    separator = ",";
                }
                out.append(lineStart).append('}');
            }
            case RegoValue scalar -> out.append(compact(scalar));
        }
    }

    static String quoted(String text) {
        return compact(new StringValue(text));
    }

    private static String escapeHtml(String json) {
        return json.replace("<", "\\u003c")
                .replace(">", "\\u003e")
                .replace("&", "\\u0026")
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029");
    }
}
