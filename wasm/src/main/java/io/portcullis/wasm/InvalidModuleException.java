package io.portcullis.wasm;

import org.jspecify.annotations.Nullable;

/** The bytes are not a module that this engine can run. */
public final class InvalidModuleException extends WasmException {

    public InvalidModuleException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    public InvalidModuleException(String message) {
        this(message, null);
    }
}
