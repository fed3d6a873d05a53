package io.portcullis.kwctl.cli;

import org.jspecify.annotations.Nullable;

/** A command failed. The message contains the operation, its object and the cause. */
public class CommandException extends RuntimeException {

    public CommandException(String message) {
        super(message);
    }

    public CommandException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
