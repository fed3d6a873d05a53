package io.portcullis.artifacts.verify;

/**
 * Reports which check of a signature failed. Used only inside this package, because one invalid signature among
 * several is not a failure.
 */
final class UntrustedException extends Exception {

    UntrustedException(String message) {
        super(message);
    }

    UntrustedException(String message, Throwable cause) {
        super(message, cause);
    }
}
