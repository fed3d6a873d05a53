package io.portcullis.audit.condition;

/** Whether a policy's conditions let it judge an object. */
public sealed interface MatchOutcome {

    MatchOutcome APPLIES = new Applies();

    /** All conditions hold, or there are none. */
    record Applies() implements MatchOutcome {}

    /** A condition does not hold: the API server would not ask the policy either. */
    record DoesNotApply(String condition) implements MatchOutcome {}

    /** No condition is known not to hold, but one cannot be evaluated here. The object is judged all the same. */
    record NotEvaluated(String condition, String reason) implements MatchOutcome {}
}
