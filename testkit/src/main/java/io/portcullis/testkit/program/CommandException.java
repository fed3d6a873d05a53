package io.portcullis.testkit.program;

/** A command could not be run, ran too long, or failed; the message says which command and what it printed. */
public final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CommandException(String message) {
        super(message);
    }

    CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
