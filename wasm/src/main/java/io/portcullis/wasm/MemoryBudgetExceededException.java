package io.portcullis.wasm;

/** The memory that all evaluations share is used up. The request may succeed when it is tried again. */
public final class MemoryBudgetExceededException extends WasmException {

    public MemoryBudgetExceededException(String message) {
        super(message, null);
    }
}
