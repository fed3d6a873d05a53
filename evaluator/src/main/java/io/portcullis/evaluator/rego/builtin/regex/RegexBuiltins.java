package io.portcullis.evaluator.rego.builtin.regex;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.builtin.encoding.EncodingBuiltins;
import io.portcullis.evaluator.rego.builtin.format.GoQuote;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Built-ins for regular expressions in RE2 syntax, with linear time as in Go. */
public final class RegexBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "regex.is_valid", (operands, _) -> isValid(operands.value(0)),
            "regex.split", (operands, scope) -> split(compile(operands.string(0)), operands.string(1), scope),
            "regex.find_n",
                    (operands, scope) ->
                            find(compile(operands.string(0)), operands.string(1), operands.integer(2), scope),
            "regex.replace",
                    (operands, scope) ->
                            replace(operands.string(0), compile(operands.string(1)), operands.string(2), scope),
            "regex.template_match", RegexBuiltins::templateMatch,
            "regex.globs_match",
                    (operands, scope) ->
                            RegoValue.of(GlobIntersection.isNonEmpty(operands.string(0), operands.string(1), scope)),
            "glob.quote_meta", (operands, _) -> RegoValue.of(quoteMeta(operands.string(0))));

    private RegexBuiltins() {}

    private static Pattern compile(String regex) {
        try {
            return BoundedRegex.compile(regex);
        } catch (PatternSyntaxException e) {
            throw new BuiltinException("error parsing regexp: " + e.getDescription() + ": `" + e.getPattern() + "`", e);
        }
    }

    private static RegoValue isValid(RegoValue value) {
        if (!(value instanceof StringValue(var regex))) {
            return RegoValue.BooleanValue.FALSE;
        }
        try {
            compile(regex);
            return RegoValue.BooleanValue.TRUE;
        } catch (BuiltinException e) {
            return RegoValue.BooleanValue.FALSE;
        }
    }

    /** Returns all matches as Go finds them: an empty match directly after another match does not count. */
    private static List<int[]> matches(Pattern pattern, String text, int limit, EvaluationScope scope) {
        var found = new ArrayList<int[]>();
        var matcher = pattern.matcher(BoundedRegex.input(text, scope));
        int from = 0;
        int previousEnd = -1;
        while ((limit < 0 || found.size() < limit) && from <= text.length() && matcher.find(from)) {
            boolean empty = matcher.end() == matcher.start();
            if (!empty || matcher.start() != previousEnd) {
                scope.countResult(2L * (matcher.groupCount() + 1));
                found.add(groups(matcher));
            }
            previousEnd = matcher.end();
            from = empty ? next(text, matcher.end()) : matcher.end();
        }
        return found;
    }

    private static int next(String text, int position) {
        return position < text.length() ? text.offsetByCodePoints(position, 1) : position + 1;
    }

    private static int[] groups(Matcher matcher) {
        var bounds = new int[2 * (matcher.groupCount() + 1)];
        for (int group = 0; group <= matcher.groupCount(); group++) {
            bounds[2 * group] = matcher.start(group);
            bounds[2 * group + 1] = matcher.end(group);
        }
        return bounds;
    }

    private static RegoValue find(Pattern pattern, String text, int limit, EvaluationScope scope) {
        return RegoValue.strings(matches(pattern, text, limit, scope).stream()
                .map(match -> text.substring(match[0], match[1]))
                .toList());
    }

    private static RegoValue split(Pattern pattern, String text, EvaluationScope scope) {
        if (!pattern.pattern().isEmpty() && text.isEmpty()) {
            return RegoValue.array(RegoValue.of(""));
        }
        var pieces = new ArrayList<String>();
        int start = 0;
        int end = 0;
        for (var match : matches(pattern, text, -1, scope)) {
            end = match[0];
            if (match[1] != 0) {
                pieces.add(text.substring(start, end));
            }
            start = match[1];
        }
        if (end != text.length()) {
            pieces.add(text.substring(start));
        }
        return RegoValue.strings(pieces);
    }

    private static RegoValue replace(String text, Pattern pattern, String template, EvaluationScope scope) {
        var out = new StringBuilder();
        int end = 0;
        for (var match : matches(pattern, text, -1, scope)) {
            out.append(text, end, match[0]);
            expand(out, template, text, match, pattern, scope);
            end = match[1];
        }
        return RegoValue.of(out.append(text, end, text.length()).toString());
    }

    /** Expands {@code $1}, {@code ${1}}, {@code $name}, {@code ${name}} and {@code $$}; unknown groups are empty. */
    private static void expand(
            StringBuilder out, String template, String text, int[] match, Pattern pattern, EvaluationScope scope) {
        int i = 0;
        while (i < template.length()) {
            scope.countSteps(1);
            scope.checkSize(out.length());
            char c = template.charAt(i);
            if (c != '$') {
                out.append(c);
                i++;
            } else if (template.startsWith("$$", i)) {
                out.append('$');
                i += 2;
            } else {
                int end = reference(template, i + 1);
                if (end < 0) {
                    out.append('$');
                    i++;
                } else {
                    boolean braced = template.charAt(i + 1) == '{';
                    var name = braced ? template.substring(i + 2, end - 1) : template.substring(i + 1, end);
                    group(out, name, text, match, pattern);
                    i = end;
                }
            }
        }
    }

    /** Returns the end of the reference that begins at {@code start}; negative if there is none. */
    private static int reference(String template, int start) {
        boolean braced = start < template.length() && template.charAt(start) == '{';
        int i = braced ? start + 1 : start;
        int first = i;
        while (i < template.length() && (Character.isLetterOrDigit(template.charAt(i)) || template.charAt(i) == '_')) {
            i++;
        }
        if (i == first || (braced && (i >= template.length() || template.charAt(i) != '}'))) {
            return -1;
        }
        return braced ? i + 1 : i;
    }

    private static void group(StringBuilder out, String name, String text, int[] match, Pattern pattern) {
        boolean numbered = name.chars().allMatch(c -> c >= '0' && c <= '9') && name.length() < 9;
        Integer group = numbered ? Integer.valueOf(name) : pattern.namedGroups().get(name);
        if (group != null && 2 * group + 1 < match.length && match[2 * group] >= 0) {
            out.append(text, match[2 * group], match[2 * group + 1]);
        }
    }

    /** Matches literal text with regular expressions between delimiters; the whole text must match. */
    private static RegoValue templateMatch(Operands operands, EvaluationScope scope) {
        var template = operands.string(0);
        char open = delimiter(operands.string(2), "start");
        char close = delimiter(operands.string(3), "end");
        var regex = new StringBuilder("^");
        int level = 0;
        int start = 0;
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            if (c == open && ++level == 1) {
                regex.append(Pattern.quote(template.substring(start, i)));
                start = i + 1;
            } else if (c == close && open != close && --level == 0) {
                regex.append('(').append(template, start, i).append(')');
                start = i + 1;
            }
            if (level < 0) {
                throw unbalanced(template);
            }
        }
        if (level != 0) {
            throw unbalanced(template);
        }
        regex.append(Pattern.quote(template.substring(start))).append('$');
        return RegoValue.of(compile(regex.toString())
                .matcher(BoundedRegex.input(operands.string(1), scope))
                .find());
    }

    private static char delimiter(String text, String which) {
        if (EncodingBuiltins.utf8(text).length != 1) {
            throw new BuiltinException(
                    which + " delimiter has to be exactly one character long but is " + text.length() + " long");
        }
        return text.charAt(0);
    }

    private static BuiltinException unbalanced(String template) {
        return new BuiltinException("unbalanced braces in " + GoQuote.quote(template, false));
    }

    private static String quoteMeta(String text) {
        var out = new StringBuilder();
        text.chars().forEach(c -> {
            if ("*?\\[]{}".indexOf(c) >= 0) {
                out.append('\\');
            }
            out.append((char) c);
        });
        return out.toString();
    }
}
