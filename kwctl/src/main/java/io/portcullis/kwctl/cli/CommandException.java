package io.portcullis.kwctl.cli;

import org.jspecify.annotations.Nullable;

/** A command cannot do what it was asked; the message says what was tried, on what and why it failed. */
public final class CommandException extends RuntimeException {

    public CommandException(String message) {
        super(message);
    }

    public CommandException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
