package io.portcullis.evaluator.rego.builtin;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a built-in cannot compute its result. By default this ends the evaluation; in OPA the result is
 * undefined.
 */
public final class BuiltinException extends RuntimeException {

    public BuiltinException(String message) {
        this(message, null);
    }

    public BuiltinException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
