/**
 * Runs WebAssembly core modules: compile once, link once, instantiate for every request. {@link
 * io.portcullis.wasm.WasmEngine} is the entry; nothing here knows what a policy is.
 */
@NullMarked
package io.portcullis.wasm;

import org.jspecify.annotations.NullMarked;
