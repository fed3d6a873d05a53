package io.portcullis.wasm.preinit;

/** The module has something that a snapshot does not capture. Never leaves this package. */
final class UnsupportedModuleException extends RuntimeException {

    UnsupportedModuleException(String message) {
        super(message);
    }
}
