package io.portcullis.server.evaluation.pool;

/** The pool accepts no more work, or could not start the work in time. */
public final class OverloadedException extends RuntimeException {

    OverloadedException(String message) {
        super(message, null, false, false);
    }
}
