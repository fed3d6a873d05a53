package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.EvaluationFailure;

/** The result of one guest call. */
sealed interface GuestResult {

    record Success(byte[] response) implements GuestResult {}

    record Failure(EvaluationFailure cause, String text) implements GuestResult {

        /** The message for users. */
        String message() {
            return "Guest call failure: " + text;
        }
    }

    record TimedOut() implements GuestResult {}

    /** The start-up of the guest failed, so the call was not made. */
    record NotStarted(EvaluationFailure cause, String text) implements GuestResult {

        String message() {
            return "Guest initialization failure: " + text;
        }
    }
}
