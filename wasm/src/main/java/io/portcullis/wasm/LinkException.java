package io.portcullis.wasm;

/** The module has an import that the host does not provide. */
public final class LinkException extends WasmException {

    public LinkException(String message) {
        super(message, null);
    }
}
