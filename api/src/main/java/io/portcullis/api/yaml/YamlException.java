package io.portcullis.api.yaml;

import org.jspecify.annotations.Nullable;

/** A text is not valid YAML, or uses an unsupported feature. The message contains line and column. */
public final class YamlException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    YamlException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
