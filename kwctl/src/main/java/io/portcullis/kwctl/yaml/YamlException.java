package io.portcullis.kwctl.yaml;

import org.jspecify.annotations.Nullable;

/** A text is not YAML, or not the YAML we take; the message says where. */
public final class YamlException extends RuntimeException {

    YamlException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
