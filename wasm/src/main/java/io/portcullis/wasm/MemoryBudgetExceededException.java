package io.portcullis.wasm;

/** The memory that all evaluations share is used up, or too small for the policy. The message distinguishes the two. */
public final class MemoryBudgetExceededException extends WasmException {

    public MemoryBudgetExceededException(String message) {
        super(message, null);
    }
}
