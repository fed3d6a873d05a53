package io.portcullis.testkit.cluster;

/** The cluster cannot be had or does not do what a test waits for; the message says why, for the reader of a test report. */
public final class ClusterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ClusterException(String message) {
        super(message);
    }

    ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
