package io.portcullis.artifacts.verify;

/** A link of the chain is broken; the message says which. Inside this package only: one bad signature among many is no failure. */
final class UntrustedException extends Exception {

    UntrustedException(String message) {
        super(message);
    }

    UntrustedException(String message, Throwable cause) {
        super(message, cause);
    }
}
