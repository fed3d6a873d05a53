package io.portcullis.wasm;

/** The guest was stopped because its {@link Deadline} passed. */
public final class DeadlineExceededException extends WasmException {

    public static final String MESSAGE = "guest code interrupted, execution deadline exceeded";

    public DeadlineExceededException() {
        super(MESSAGE, null);
    }
}
