package io.portcullis.server.preparation;

import io.portcullis.evaluator.PolicyLoadException;

/** What a child process reports about a module. */
sealed interface PreparationResult {

    /** @param compiled native code, as {@link io.portcullis.wasm.WasmEngine#load} takes it */
    record Prepared(byte[] compiled) implements PreparationResult {}

    /** The module is broken. */
    record Rejected(PolicyLoadException.Reason reason, String message) implements PreparationResult {}
}
