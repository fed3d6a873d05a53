package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.wasm.TrapException;
import java.util.List;
import java.util.NoSuchElementException;

/** A built-in with OPA's name for it. */
public record NamedBuiltin(String name, Builtin builtin) {

    /** Calls the built-in and adds its name to error messages. */
    public RegoValue call(List<RegoValue> arguments, EvaluationScope scope) {
        scope.beginCall();
        scope.checkDeadline();
        try {
            return builtin.call(new Operands(arguments), scope);
        } catch (StackOverflowError e) {
            throw new TrapException(
                    TrapException.Kind.LIMIT, name + ": an operand is too long or nests too deeply", List.of(), null);
        } catch (BuiltinException e) {
            throw new BuiltinException(name + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException
                | ArithmeticException
                | NoSuchElementException
                | IndexOutOfBoundsException e) {
            // Unexpected exceptions of a parser mean invalid input, never a failure of the host.
            throw new BuiltinException(name + ": malformed operand", e);
        }
    }
}
