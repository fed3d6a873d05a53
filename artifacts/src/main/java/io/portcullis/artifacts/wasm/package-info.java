/**
 * WebAssembly files before compilation: the magic number, the size limit, and reading from local files.
 */
@NullMarked
package io.portcullis.artifacts.wasm;

import org.jspecify.annotations.NullMarked;
