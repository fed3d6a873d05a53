package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.WasmEngine;

/** How the modules of one execution mode are run. One object per mode and process; thread-safe. */
public interface PolicyRuntime {

    /**
     * A module equivalent to {@code wasm} that starts faster, or {@code wasm} itself. Called once per digest, before
     * compilation; what it does must depend on nothing but the bytes, because the compiled result is cached by digest.
     */
    default byte[] prepare(WasmEngine engine, byte[] wasm) {
        return wasm;
    }

    /** Names what {@link #prepare} does and its version, so that a cache keeps differently prepared modules apart. */
    default String preparation() {
        return "plain";
    }

    /**
     * Links a compiled module to this mode's host functions. Takes ownership of {@code module}: closes it with the
     * result, or before throwing.
     *
     * @throws PolicyLoadException when the module lacks something or asks for something the host does not offer
     */
    ExecutableModule link(CompiledModule module);
}
