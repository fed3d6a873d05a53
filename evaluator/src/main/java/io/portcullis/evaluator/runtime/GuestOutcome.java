package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationFailure;

/** The result of one evaluation, before it becomes a response. */
public sealed interface GuestOutcome {

    /** The guest answered according to the contract of waPC and WASI policies. */
    record Answered(ValidationResponse response) implements GuestOutcome {}

    /** The guest answered with an admission response; its uid is replaced by the request's uid. */
    record AnsweredReview(AdmissionResponse response) implements GuestOutcome {}

    /** The guest reached its deadline; the rejection has the common text. */
    record TimedOut() implements GuestOutcome {}

    /** A failure; {@code message} is the whole text of the rejection. */
    record Failed(EvaluationFailure cause, String message) implements GuestOutcome {

        /** Adds the prefix of most failures. */
        public static Failed internal(EvaluationFailure cause, String text) {
            return new Failed(cause, "internal server error: " + text);
        }
    }
}
