package io.portcullis.evaluator.host;

/** A host call failed; the message goes to the guest. */
public final class HostCallException extends RuntimeException {

    public HostCallException(String message) {
        super(message);
    }

    public HostCallException(String message, Throwable cause) {
        super(message, cause);
    }
}
