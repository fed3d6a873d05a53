package io.portcullis.testkit.program;

/** A command did not start, exceeded its time limit, or failed. The message contains the command and its output. */
public final class ShellCommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ShellCommandException(String message) {
        super(message);
    }

    ShellCommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
