package io.portcullis.api.policies;

import org.jspecify.annotations.Nullable;

/** A {@code policies.yml} is invalid. The message names the entry, the key and the position. */
public final class PoliciesFileException extends RuntimeException {

    public PoliciesFileException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
