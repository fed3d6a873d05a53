package io.portcullis.server.preparation.child;

import io.portcullis.evaluator.PolicyLoadException;

/** The result that a child process reports for a module. */
public sealed interface PreparationResult {

    /** @param compiled native code for {@link io.portcullis.wasm.WasmEngine#load} */
    record Prepared(byte[] compiled) implements PreparationResult {}

    /** The module is invalid. */
    record Rejected(PolicyLoadException.Reason reason, String message) implements PreparationResult {}
}
