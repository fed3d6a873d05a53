package io.portcullis.process.cli;

import org.jspecify.annotations.Nullable;

/** The program cannot continue. The user sees the message as one line; the exit code is 1. */
public final class FailureException extends RuntimeException {

    public FailureException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
