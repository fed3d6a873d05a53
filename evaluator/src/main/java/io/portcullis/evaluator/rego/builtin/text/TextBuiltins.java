package io.portcullis.evaluator.rego.builtin.text;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.builtin.format.GoFormat;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;

/** {@code sprintf}, {@code strings.*} and related built-ins. Positions and lengths count code points. */
public final class TextBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "sprintf", (operands, scope) -> RegoValue.of(GoFormat.format(operands.string(0), operands.array(1), scope)),
            "indexof_n", TextBuiltins::indexOfAll,
            "strings.any_prefix_match", (operands, scope) -> anyMatch(operands, String::startsWith, scope),
            "strings.any_suffix_match", (operands, scope) -> anyMatch(operands, String::endsWith, scope),
            "strings.count", (operands, scope) -> count(operands.string(0), operands.string(1), scope),
            "strings.split_n", TextBuiltins::splitN,
            "strings.render_template", (operands, scope) -> render(operands.string(0), operands.object(1), scope),
            "strings.reverse",
                    (operands, _) -> RegoValue.of(
                            new StringBuilder(operands.string(0)).reverse().toString()));

    private static final Pattern FIELD = Pattern.compile("\\s*((?:\\.[\\p{L}_][\\p{L}\\p{N}_]*)+)\\s*");

    private static final String UNDEFINED_FIELD = "<undefined>";

    private TextBuiltins() {}

    private static RegoValue indexOfAll(Operands operands, EvaluationScope scope) {
        var base = operands.string(0).codePoints().toArray();
        var search = operands.string(1).codePoints().toArray();
        if (search.length == 0) {
            throw new BuiltinException("empty search character");
        }
        var positions = new ArrayList<RegoValue>();
        for (int i = 0; i + search.length <= base.length; i++) {
            scope.countSteps(1 + search.length / 16);
            if (Arrays.equals(base, i, i + search.length, search, 0, search.length)) {
                positions.add(RegoValue.of(i));
            }
        }
        return RegoValue.array(positions);
    }

    private static RegoValue anyMatch(Operands operands, BiPredicate<String, String> matches, EvaluationScope scope) {
        var texts = operands.stringOrStrings(0);
        var parts = operands.stringOrStrings(1);
        return RegoValue.of(texts.stream()
                .anyMatch(text -> parts.stream().anyMatch(part -> {
                    scope.countSteps(1 + part.length() / 16);
                    return matches.test(text, part);
                })));
    }

    /**
     * Like {@link String#indexOf}, but stops at the deadline, because the search can take time proportional to the
     * product of both lengths.
     */
    private static int indexOf(String text, String part, int from, EvaluationScope scope) {
        int at = from;
        while (true) {
            at = text.indexOf(part.charAt(0), at);
            if (at < 0 || at + part.length() > text.length()) {
                return -1;
            }
            scope.countSteps(1 + part.length() / 16);
            if (text.startsWith(part, at)) {
                return at;
            }
            at++;
        }
    }

    private static RegoValue count(String text, String part, EvaluationScope scope) {
        if (part.isEmpty()) {
            return RegoValue.of(text.codePointCount(0, text.length()) + 1L);
        }
        long count = 0;
        for (int at = indexOf(text, part, 0, scope); at >= 0; at = indexOf(text, part, at + part.length(), scope)) {
            count++;
        }
        return RegoValue.of(count);
    }

    /** Returns the first n pieces, or the last −n pieces. */
    private static RegoValue splitN(Operands operands, EvaluationScope scope) {
        var pieces = split(operands.string(0), operands.string(1), scope);
        int n = operands.integer(2);
        var selected = n >= 0
                ? pieces.subList(0, Math.min(n, pieces.size()))
                : pieces.subList(Math.max(pieces.size() + n, 0), pieces.size());
        return RegoValue.strings(selected);
    }

    private static List<String> split(String text, String delimiter, EvaluationScope scope) {
        if (delimiter.isEmpty()) {
            return text.codePoints().mapToObj(Character::toString).toList();
        }
        var pieces = new ArrayList<String>();
        int start = 0;
        for (int at = indexOf(text, delimiter, 0, scope); at >= 0; at = indexOf(text, delimiter, start, scope)) {
            pieces.add(text.substring(start, at));
            start = at + delimiter.length();
        }
        pieces.add(text.substring(start));
        return pieces;
    }

    /** Renders a template with field references; rejects the rest of Go's template language. */
    private static RegoValue render(String template, ObjectValue variables, EvaluationScope scope) {
        var out = new StringBuilder();
        int position = 0;
        while (true) {
            int start = template.indexOf("{{", position);
            if (start < 0) {
                return RegoValue.of(
                        out.append(template, position, template.length()).toString());
            }
            int end = template.indexOf("}}", start + 2);
            if (end < 0) {
                throw new BuiltinException("template: unclosed action");
            }
            var field = FIELD.matcher(template.substring(start + 2, end));
            if (!field.matches()) {
                throw new BuiltinException("template: only references to fields such as {{.name}} are supported: "
                        + template.substring(start, end + 2));
            }
            var replacement = lookUp(variables, field.group(1));
            scope.countResult(replacement.length());
            out.append(template, position, start).append(replacement);
            position = end + 2;
        }
    }

    private static String lookUp(ObjectValue variables, String path) {
        RegoValue value = variables;
        for (var name : path.substring(1).split("\\.", -1)) {
            if (!(value instanceof ObjectValue object)) {
                throw new BuiltinException("template: can't evaluate field " + name + " in " + value.typeName());
            }
            var child = object.fields().get(RegoValue.of(name));
            if (child == null) {
                return UNDEFINED_FIELD;
            }
            value = child;
        }
        return value instanceof RegoValue.NullValue ? UNDEFINED_FIELD : goText(value);
    }

    /** Formats a value as Go prints decoded JSON. */
    private static String goText(RegoValue value) {
        return switch (value) {
            case StringValue(var text) -> text;
            case RegoValue.NullValue _ -> "<nil>";
            case ArrayValue(var items) ->
                "[" + String.join(" ", items.stream().map(TextBuiltins::goText).toList()) + "]";
            case ObjectValue object ->
                "map["
                        + String.join(
                                " ",
                                object.fields().entrySet().stream()
                                        .map(field -> goText(field.getKey()) + ":" + goText(field.getValue()))
                                        .toList())
                        + "]";
            case RegoValue other -> other.toString();
        };
    }
}
