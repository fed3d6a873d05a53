package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;

/** One function of the host. Pure but for what it reads from the scope. */
@FunctionalInterface
public interface Builtin {

    /** @throws BuiltinException when the operands do not make sense */
    RegoValue call(Operands operands, EvaluationScope scope);
}
