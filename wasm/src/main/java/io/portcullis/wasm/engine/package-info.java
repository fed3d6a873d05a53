/** Chooses and creates the engine of a process: Wasmtime, or Endive where Wasmtime's library is missing. */
@NullMarked
package io.portcullis.wasm.engine;

import org.jspecify.annotations.NullMarked;
