package io.portcullis.process.cli;

import org.jspecify.annotations.Nullable;

/** The program cannot go on; the message is the one line the user sees, and the exit code is 1. */
public final class FailureException extends RuntimeException {

    public FailureException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
