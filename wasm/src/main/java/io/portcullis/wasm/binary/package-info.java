/**
 * The parts of the WebAssembly binary format that this module needs: reading a module's imports and exports, which
 * Wasmtime's C API cannot list safely, and taking modules apart for pre-initialisation.
 */
@NullMarked
package io.portcullis.wasm.binary;

import org.jspecify.annotations.NullMarked;
