package io.portcullis.testkit.tools;

/** A tool is not in the cache and could not be put there; the message says what to do. */
public final class ToolException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ToolException(String message) {
        super(message);
    }
}
