package io.portcullis.server.evaluation;

/** The pool takes no more work, or could not begin it in time. */
final class OverloadedException extends RuntimeException {

    OverloadedException(String message) {
        super(message, null, false, false);
    }
}
