/** Measurements, run by hand: what a fresh instance costs. */
@NullMarked
package io.portcullis.wasm.bench;

import org.jspecify.annotations.NullMarked;
