/**
 * The WebAssembly binary format as far as we need it ourselves: reading a module's imports and exports, which
 * Wasmtime's C API cannot list safely, and taking modules apart for pre-initialisation.
 */
@NullMarked
package io.portcullis.wasm.binary;

import org.jspecify.annotations.NullMarked;
