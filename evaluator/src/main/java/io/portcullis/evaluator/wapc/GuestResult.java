package io.portcullis.evaluator.wapc;

/** What one guest call came to. */
sealed interface GuestResult {

    record Success(byte[] response) implements GuestResult {}

    record Failure(String text) implements GuestResult {

        /** As users see it. */
        String message() {
            return "Guest call failure: " + text;
        }
    }

    record TimedOut() implements GuestResult {}

    /** The guest did not get through its start-up, so nothing was asked of it. */
    record NotStarted(String text) implements GuestResult {

        String message() {
            return "Guest initialization failure: " + text;
        }
    }
}
