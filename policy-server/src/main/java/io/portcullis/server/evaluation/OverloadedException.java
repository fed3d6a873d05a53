package io.portcullis.server.evaluation;

/** The pool accepts no more work, or could not start the work in time. */
final class OverloadedException extends RuntimeException {

    OverloadedException(String message) {
        super(message, null, false, false);
    }
}
