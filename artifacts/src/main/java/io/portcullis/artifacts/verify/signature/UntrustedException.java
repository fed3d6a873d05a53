package io.portcullis.artifacts.verify.signature;

/**
 * Reports which check of a signature failed. {@code ImageVerifier} catches it, because one invalid signature among
 * several is not a failure.
 */
public final class UntrustedException extends Exception {

    public UntrustedException(String message) {
        super(message);
    }

    public UntrustedException(String message, Throwable cause) {
        super(message, cause);
    }
}
