package io.portcullis.testkit.program;

/** A command could not be run, ran too long, or failed; the message says which command and what it printed. */
public final class ShellCommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ShellCommandException(String message) {
        super(message);
    }

    ShellCommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
