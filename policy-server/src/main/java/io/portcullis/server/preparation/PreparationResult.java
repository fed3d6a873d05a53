package io.portcullis.server.preparation;

import io.portcullis.evaluator.PolicyLoadException;

/** The result that a child process reports for a module. */
sealed interface PreparationResult {

    /** @param compiled native code for {@link io.portcullis.wasm.WasmEngine#load} */
    record Prepared(byte[] compiled) implements PreparationResult {}

    /** The module is invalid. */
    record Rejected(PolicyLoadException.Reason reason, String message) implements PreparationResult {}
}
