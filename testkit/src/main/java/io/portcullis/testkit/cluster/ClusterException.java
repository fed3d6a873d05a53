package io.portcullis.testkit.cluster;

/** The cluster is not available, or did not reach the state that a test waits for. The message gives the reason. */
public final class ClusterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ClusterException(String message) {
        super(message);
    }

    ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
