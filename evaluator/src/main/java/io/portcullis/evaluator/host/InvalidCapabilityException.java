package io.portcullis.evaluator.host;

/** A pattern of host capabilities that can never match anything. */
public final class InvalidCapabilityException extends RuntimeException {

    public InvalidCapabilityException(String message) {
        super(message);
    }
}
