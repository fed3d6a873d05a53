package io.portcullis.matching;

import java.util.List;

/** Result of evaluating the match conditions of a webhook. */
public sealed interface MatchOutcome {

    MatchOutcome APPLIES = new Applies();

    /** All conditions are true, or there are none. */
    record Applies() implements MatchOutcome {}

    /** A condition is false. The API server does not call the webhook, whatever the other conditions are. */
    record DoesNotApply(String condition) implements MatchOutcome {}

    /** No condition is false, but some cannot be evaluated. */
    record Failed(List<ConditionError> errors, Consequence consequence) implements MatchOutcome {

        public Failed {
            errors = List.copyOf(errors);
        }
    }

    /**
     * Why a condition cannot be evaluated.
     *
     * @param isCertain whether the API server cannot evaluate it either; false when it may know more, for example the user
     *     of the request
     */
    record ConditionError(String condition, String reason, boolean isCertain) {}

    /** What the API server does with a request whose conditions failed. */
    enum Consequence {
        /** It does not call the webhook, because the failure policy is Ignore. */
        NOT_CALLED,
        /** It rejects the request, because the failure policy is Fail. */
        REJECTED,
        /** Unknown, because the API server may be able to evaluate the condition. */
        UNKNOWN;

        static Consequence of(List<ConditionError> errors, FailurePolicy failurePolicy) {
            return switch (failurePolicy) {
                // One certain error is enough: then the webhook is not called, whether the others are true or false.
                case IGNORE -> errors.stream().anyMatch(ConditionError::isCertain) ? NOT_CALLED : UNKNOWN;
                case FAIL -> errors.stream().allMatch(ConditionError::isCertain) ? REJECTED : UNKNOWN;
            };
        }
    }
}
