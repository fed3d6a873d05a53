package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.Value;
import io.portcullis.evaluator.rego.value.Value.ArrayValue;
import io.portcullis.evaluator.rego.value.Value.ObjectValue;
import io.portcullis.evaluator.rego.value.Value.StringValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code sprintf}, {@code strings.*} and their kin. Positions and lengths count code points. */
final class TextBuiltins {

    static final Map<String, Builtin> ALL = Map.of(
            "sprintf", (operands, _) -> Value.of(GoFormat.format(operands.string(0), operands.array(1))),
            "indexof_n", (operands, _) -> indexOfAll(operands),
            "strings.any_prefix_match", (operands, _) -> anyMatch(operands, String::startsWith),
            "strings.any_suffix_match", (operands, _) -> anyMatch(operands, String::endsWith),
            "strings.count", (operands, _) -> count(operands.string(0), operands.string(1)),
            "strings.split_n", (operands, _) -> splitN(operands),
            "strings.render_template", (operands, _) -> render(operands.string(0), operands.object(1)),
            "strings.reverse",
                    (operands, _) -> Value.of(
                            new StringBuilder(operands.string(0)).reverse().toString()));

    private static final Pattern ACTION = Pattern.compile("\\{\\{(.*?)}}", Pattern.DOTALL);
    private static final Pattern FIELD = Pattern.compile("\\s*((?:\\.[\\p{L}_][\\p{L}\\p{N}_]*)+)\\s*");

    private static final String UNDEFINED_FIELD = "<undefined>";

    private TextBuiltins() {}

    private static Value indexOfAll(Operands operands) {
        var base = operands.string(0).codePoints().toArray();
        var search = operands.string(1).codePoints().toArray();
        if (search.length == 0) {
            throw new BuiltinException("empty search character");
        }
        var positions = new ArrayList<Value>();
        for (int i = 0; i + search.length <= base.length; i++) {
            if (Arrays.equals(base, i, i + search.length, search, 0, search.length)) {
                positions.add(Value.of(i));
            }
        }
        return Value.array(positions);
    }

    private static Value anyMatch(Operands operands, BiPredicate<String, String> matches) {
        var texts = operands.stringOrStrings(0);
        var parts = operands.stringOrStrings(1);
        return Value.of(texts.stream().anyMatch(text -> parts.stream().anyMatch(part -> matches.test(text, part))));
    }

    private static Value count(String text, String part) {
        if (part.isEmpty()) {
            return Value.of(text.codePointCount(0, text.length()) + 1L);
        }
        long count = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
            count++;
        }
        return Value.of(count);
    }

    /** The first n pieces, or the last −n. */
    private static Value splitN(Operands operands) {
        var pieces = split(operands.string(0), operands.string(1));
        int n = operands.integer(2);
        var wanted = n >= 0
                ? pieces.subList(0, Math.min(n, pieces.size()))
                : pieces.subList(Math.max(pieces.size() + n, 0), pieces.size());
        return Value.strings(wanted);
    }

    private static List<String> split(String text, String delimiter) {
        if (delimiter.isEmpty()) {
            return text.codePoints().mapToObj(Character::toString).toList();
        }
        var pieces = new ArrayList<String>();
        int start = 0;
        for (int at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, start)) {
            pieces.add(text.substring(start, at));
            start = at + delimiter.length();
        }
        pieces.add(text.substring(start));
        return pieces;
    }

    /** Field references only: the rest of Go's template language is refused, not guessed. */
    private static Value render(String template, ObjectValue variables) {
        var actions = ACTION.matcher(template);
        var out = new StringBuilder();
        while (actions.find()) {
            var field = FIELD.matcher(actions.group(1));
            if (!field.matches()) {
                throw new BuiltinException(
                        "template: only references to fields such as {{.name}} are supported: " + actions.group());
            }
            actions.appendReplacement(out, Matcher.quoteReplacement(lookUp(variables, field.group(1))));
        }
        var tail = new StringBuilder();
        actions.appendTail(tail);
        if (tail.indexOf("{{") >= 0) {
            throw new BuiltinException("template: unclosed action");
        }
        return Value.of(out.append(tail).toString());
    }

    private static String lookUp(ObjectValue variables, String path) {
        Value value = variables;
        for (var name : path.substring(1).split("\\.", -1)) {
            if (!(value instanceof ObjectValue object)) {
                throw new BuiltinException("template: can't evaluate field " + name + " in " + value.typeName());
            }
            var child = object.fields().get(Value.of(name));
            if (child == null) {
                return UNDEFINED_FIELD;
            }
            value = child;
        }
        return value instanceof Value.NullValue ? UNDEFINED_FIELD : goText(value);
    }

    /** As Go prints decoded JSON. */
    private static String goText(Value value) {
        return switch (value) {
            case StringValue(var text) -> text;
            case Value.NullValue _ -> "<nil>";
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
            case Value other -> other.toString();
        };
    }
}
