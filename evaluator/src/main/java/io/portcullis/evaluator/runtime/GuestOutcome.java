package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.AdmissionResponse;

/** What came out of one evaluation, before it is turned into an answer. */
public sealed interface GuestOutcome {

    /** The guest answered by the contract of waPC and WASI policies. */
    record Answered(ValidationResponse response) implements GuestOutcome {}

    /** The guest's answer already is an admission response; its uid is replaced by the request's. */
    record Judged(AdmissionResponse response) implements GuestOutcome {}

    record TimedOut() implements GuestOutcome {}

    /** Anything else; {@code message} is the whole text of the rejection. */
    record Failed(String message) implements GuestOutcome {

        /** With the prefix that most failures carry. */
        public static Failed internal(String text) {
            return new Failed("internal server error: " + text);
        }
    }
}
