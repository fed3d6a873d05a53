package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;

/** A host function for Rego. Pure except for reads from the scope. */
@FunctionalInterface
public interface Builtin {

    /** @throws BuiltinException if the operands are invalid */
    RegoValue call(Operands operands, EvaluationScope scope);
}
