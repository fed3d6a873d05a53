package io.portcullis.wasm;

import org.jspecify.annotations.Nullable;

/** Everything that can go wrong between a module's bytes and its answer. Messages are written for policy authors. */
public abstract sealed class WasmException extends RuntimeException
        permits InvalidModuleException,
                LinkException,
                TrapException,
                DeadlineExceededException,
                GuestExitException,
                MemoryBudgetExceededException {

    WasmException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
