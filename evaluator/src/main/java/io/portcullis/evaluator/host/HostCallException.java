package io.portcullis.evaluator.host;

/** Thrown when a host call fails; the guest receives the message. */
public final class HostCallException extends RuntimeException {

    public HostCallException(String message) {
        super(message);
    }

    public HostCallException(String message, Throwable cause) {
        super(message, cause);
    }
}
