package io.portcullis.evaluator.host.session;

import org.jspecify.annotations.Nullable;

/** Thrown when a session file cannot be read; the message names the invalid exchange. */
public final class InvalidSessionException extends RuntimeException {

    public InvalidSessionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
