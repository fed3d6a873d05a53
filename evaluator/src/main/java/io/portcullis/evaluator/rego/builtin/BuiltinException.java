package io.portcullis.evaluator.rego.builtin;

import org.jspecify.annotations.Nullable;

/** A builtin cannot compute its result. By default that ends the evaluation; OPA would call the result undefined. */
public final class BuiltinException extends RuntimeException {

    public BuiltinException(String message) {
        this(message, null);
    }

    public BuiltinException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
