package io.portcullis.api.policies;

import org.jspecify.annotations.Nullable;

/** A {@code policies.yml} that cannot be used; the message names the entry, the key and the place. */
public final class PoliciesFileException extends RuntimeException {

    public PoliciesFileException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
