package io.portcullis.evaluator.rego.builtin.format;

import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Implements Go's {@code fmt.Sprintf} for Rego's {@code sprintf}. Numbers are integers or floats, strings are strings,
 * and any other value is passed as its Rego text. Format errors appear in the result as in Go.
 */
public final class GoFormat {

    private static final int MAX_WIDTH = 1_000_000;

    private final String format;
    private final List<GoArgument> arguments;
    private final EvaluationScope scope;
    private final StringBuilder out = new StringBuilder();
    private int position;
    private int argument;
    private boolean reordered;
    private boolean validIndex = true;

    private GoFormat(String format, List<GoArgument> arguments, EvaluationScope scope) {
        this.scope = scope;
        this.format = format;
        this.arguments = arguments;
    }

    public static String format(String format, List<RegoValue> values, EvaluationScope scope) {
        var arguments = new ArrayList<GoArgument>();
        for (var value : values) {
            arguments.add(argument(value));
        }
        return new GoFormat(format, arguments, scope).run();
    }

    private static GoArgument argument(RegoValue value) {
        return switch (value) {
            case StringValue(var text) -> new GoArgument.Text(text);
            case NumberValue number
            when number.isWrittenAsFloat() ->
                new GoArgument.Floating(number.value().doubleValue());
            case NumberValue number -> integer(number.value().toBigInteger());
            case RegoValue other -> new GoArgument.Text(other.toString());
        };
    }

    private static GoArgument integer(BigInteger value) {
        return value.bitLength() < 64 ? new GoArgument.Whole(value, "int64") : new GoArgument.Whole(value, "*big.Int");
    }

    private String run() {
        while (position < format.length()) {
            int percent = format.indexOf('%', position);
            if (percent < 0) {
                out.append(format, position, format.length());
                break;
            }
            out.append(format, position, percent);
            position = percent + 1;
            scope.countSteps(100);
            scope.checkSize(out.length());
            directive();
        }
        extraArguments();
        return out.toString();
    }

    private void directive() {
        validIndex = true;
        var spec = new FormatSpec();
        while (position < format.length() && spec.flag(format.charAt(position))) {
            position++;
        }
        boolean indexed = argumentIndex();
        if (peek() == '*') {
            position++;
            star(spec, true);
            indexed = false;
        } else {
            spec.width = digits();
            if (indexed && spec.width >= 0) {
                validIndex = false;
            }
        }
        if (peek() == '.') {
            position++;
            if (indexed) {
                validIndex = false;
            }
            indexed = argumentIndex();
            if (peek() == '*') {
                position++;
                star(spec, false);
                indexed = false;
            } else {
                spec.precision = Math.max(0, digits());
            }
        }
        if (!indexed) {
            argumentIndex();
        }
        if (position >= format.length()) {
            out.append("%!(NOVERB)");
            return;
        }
        int verb = format.codePointAt(position);
        position += Character.charCount(verb);
        verb(verb, spec);
    }

    private void verb(int verb, FormatSpec spec) {
        var name = Character.toString(verb);
        if (verb == '%') {
            out.append('%');
        } else if (!validIndex) {
            out.append("%!").append(name).append("(BADINDEX)");
        } else if (argument >= arguments.size()) {
            out.append("%!").append(name).append("(MISSING)");
        } else {
            out.append(arguments.get(argument++).format(verb, spec));
        }
    }

    private void star(FormatSpec spec, boolean isWidth) {
        boolean valid = argument < arguments.size()
                && arguments.get(argument) instanceof GoArgument.Whole whole
                && whole.value().abs().bitLength() < 31
                && whole.value().abs().intValue() <= MAX_WIDTH;
        int value = valid ? ((GoArgument.Whole) arguments.get(argument)).value().intValue() : -1;
        argument++;
        if (!valid) {
            out.append(isWidth ? "%!(BADWIDTH)" : "%!(BADPREC)");
        } else if (isWidth) {
            spec.width = Math.abs(value);
            if (value < 0) {
                spec.minus = true;
                spec.zero = false;
            }
        } else {
            spec.precision = value;
            if (value < 0) {
                spec.precision = FormatSpec.NONE;
                out.append("%!(BADPREC)");
            }
        }
    }

    /** Parses {@code [n]} and returns whether it was present. */
    private boolean argumentIndex() {
        if (peek() != '[') {
            return false;
        }
        reordered = true;
        int close = format.indexOf(']', position);
        if (close < 0) {
            validIndex = false;
            position++;
            return false;
        }
        var text = format.substring(position + 1, close);
        position = close + 1;
        boolean valid = !text.isEmpty() && text.length() < 7 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int index = valid ? Integer.parseInt(text) - 1 : -1;
        if (index < 0 || index >= arguments.size()) {
            validIndex = false;
            return true;
        }
        argument = index;
        return true;
    }

    /** Parses a width or a precision. As in Go, a number that is too large ends the format. */
    private int digits() {
        int number = FormatSpec.NONE;
        while (peek() >= '0' && peek() <= '9') {
            if (number > MAX_WIDTH) {
                position = format.length();
                return FormatSpec.NONE;
            }
            number = 10 * Math.max(0, number) + peek() - '0';
            position++;
        }
        scope.checkSize(number);
        return number;
    }

    private char peek() {
        return position < format.length() ? format.charAt(position) : '\0';
    }

    private void extraArguments() {
        if (reordered || argument >= arguments.size()) {
            return;
        }
        out.append("%!(EXTRA ");
        var separator = "";
        for (var extra : arguments.subList(argument, arguments.size())) {
            scope.checkSize(out.length());
            out.append(separator).append(extra.described());
            separator = ", ";
        }
        out.append(')');
    }
}
