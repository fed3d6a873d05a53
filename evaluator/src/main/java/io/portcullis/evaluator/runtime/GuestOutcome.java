package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.AdmissionResponse;

/** The result of one evaluation, before it becomes a response. */
public sealed interface GuestOutcome {

    /** The guest answered according to the contract of waPC and WASI policies. */
    record Answered(ValidationResponse response) implements GuestOutcome {}

    /** The guest answered with an admission response; its uid is replaced by the request's uid. */
    record AnsweredReview(AdmissionResponse response) implements GuestOutcome {}

    record TimedOut() implements GuestOutcome {}

    /** Any other failure; {@code message} is the whole text of the rejection. */
    record Failed(String message) implements GuestOutcome {

        /** Adds the prefix of most failures. */
        public static Failed internal(String text) {
            return new Failed("internal server error: " + text);
        }
    }
}
