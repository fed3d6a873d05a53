package io.portcullis.evaluator.rego;

/** The behaviour when a built-in fails. */
public enum BuiltinErrors {
    /** The evaluation fails and the request is rejected, so that an undecided rule never counts as satisfied. */
    REJECT,
    /** The result is undefined, as in OPA: the rule that called the built-in does not fire. */
    UNDEFINED
}
