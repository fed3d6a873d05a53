package io.portcullis.api.yaml;

import org.jspecify.annotations.Nullable;

/** A text is not YAML, or not the YAML we take; the message says where. */
public final class YamlException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    YamlException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
