/**
 * The only reader and writer of the WebAssembly binary format: imports and exports of a module, which Wasmtime's C API
 * cannot list safely, and sections, for pre-initialisation and for the metadata of policies.
 */
@NullMarked
package io.portcullis.wasm.binary;

import org.jspecify.annotations.NullMarked;
