package io.portcullis.evaluator.host.session;

import org.jspecify.annotations.Nullable;

/** A session file that cannot be read; the message names the exchange at fault. */
public final class InvalidSessionException extends RuntimeException {

    public InvalidSessionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
