package io.portcullis.wasm;

/** The module imports something that the host does not offer. */
public final class LinkException extends WasmException {

    public LinkException(String message) {
        super(message, null);
    }
}
