package io.portcullis.wasm;

/** The guest ended with {@code proc_exit}. Code 0 is a normal end. */
public final class GuestExitException extends WasmException {

    private final int code;

    public GuestExitException(int code) {
        super("guest exited with code " + code, null);
        this.code = code;
    }

    public int code() {
        return code;
    }
}
