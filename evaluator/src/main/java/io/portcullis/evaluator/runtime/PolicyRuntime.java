package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.WasmEngine;

/** Runs the modules of one execution mode. One object per mode and process; thread-safe. */
public interface PolicyRuntime {

    /**
     * Returns a module equivalent to {@code wasm} that starts faster, or {@code wasm} itself. Called once per digest,
     * before compilation. The result must depend only on the bytes, because the compiled result is cached by digest.
     */
    default byte[] prepare(WasmEngine engine, byte[] wasm) {
        return wasm;
    }

    /**
     * Identifies the transformation of {@link #prepare} and its version, so that a cache separates differently prepared
     * modules.
     */
    default String preparation() {
        return "plain";
    }

    /**
     * Links a compiled module to this mode's host functions. Takes ownership of {@code module}: closes it with the
     * result, or before throwing.
     *
     * @throws PolicyLoadException if the module lacks a required export or imports a function that the host does not provide
     */
    ExecutableModule link(CompiledModule module);
}
