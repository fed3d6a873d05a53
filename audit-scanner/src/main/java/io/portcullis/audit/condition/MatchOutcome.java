package io.portcullis.audit.condition;

/** Result of evaluating the matchConditions of a policy. */
public sealed interface MatchOutcome {

    MatchOutcome APPLIES = new Applies();

    /** All conditions are true, or there are none. */
    record Applies() implements MatchOutcome {}

    /** A condition is false. The API server would not call the policy either. */
    record DoesNotApply(String condition) implements MatchOutcome {}

    /** No condition is false, but one cannot be evaluated here. The policy evaluates the object anyway. */
    record NotEvaluated(String condition, String reason) implements MatchOutcome {}
}
