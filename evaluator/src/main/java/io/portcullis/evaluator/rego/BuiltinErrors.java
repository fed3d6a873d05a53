package io.portcullis.evaluator.rego;

/** What happens when a builtin cannot compute its result. */
public enum BuiltinErrors {
    /** The evaluation fails and the request is rejected: a rule that could not be decided never passes for satisfied. */
    REJECT,
    /** The result is undefined, as in OPA: the rule that asked does not fire. */
    UNDEFINED
}
