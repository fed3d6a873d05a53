/** Benchmarks, run by hand: the cost of a fresh instance. */
@NullMarked
package io.portcullis.wasm.bench;

import org.jspecify.annotations.NullMarked;
