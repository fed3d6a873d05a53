package io.portcullis.evaluator.rego.builtin.debug;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code trace} and {@code print}: they write to the log and always return true. */
public final class DebugBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "trace", (operands, scope) -> printed(operands.string(0), scope),
            "print", (operands, scope) -> printed(line(operands.values()), scope),
            "internal.print", (operands, scope) -> printed(line(operands.array(0)), scope));

    private DebugBuiltins() {}

    private static RegoValue printed(String text, EvaluationScope scope) {
        scope.print(text);
        return RegoValue.BooleanValue.TRUE;
    }

    /**
     * Formats the arguments. OPA's compiler wraps each argument in a set, so that an undefined argument is an empty
     * set.
     */
    private static String line(List<RegoValue> arguments) {
        return arguments.stream().map(DebugBuiltins::text).collect(Collectors.joining(" "));
    }

    private static String text(RegoValue argument) {
        return switch (argument) {
            case SetValue(var items) when items.isEmpty() -> "<undefined>";
            case SetValue(var items) -> items.stream().map(DebugBuiltins::text).collect(Collectors.joining(", "));
            case StringValue(var text) -> text;
            case RegoValue other -> other.toString();
        };
    }
}
