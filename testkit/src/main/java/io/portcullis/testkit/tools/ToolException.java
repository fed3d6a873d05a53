package io.portcullis.testkit.tools;

/** A tool is not in the cache and could not be built. The message contains the next step. */
public final class ToolException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ToolException(String message) {
        super(message);
    }
}
