package io.portcullis.wasm.preinit;

/** The module has state that a snapshot does not capture. Not thrown outside this package. */
final class UnsupportedModuleException extends RuntimeException {

    UnsupportedModuleException(String message) {
        super(message);
    }
}
