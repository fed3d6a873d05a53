/**
 * Runs WebAssembly core modules: compile once, link once, instantiate for every request. {@link
 * io.portcullis.wasm.WasmEngine} is the entry point. This module does not depend on policies.
 */
@NullMarked
package io.portcullis.wasm;

import org.jspecify.annotations.NullMarked;
