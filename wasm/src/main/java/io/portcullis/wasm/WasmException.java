package io.portcullis.wasm;

import org.jspecify.annotations.Nullable;

/** The base of all failures to load or run a module. Messages are written for policy authors. */
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
