/**
 * Runs policies that are WASI commands: a request on standard input, a verdict on standard output, one process-like
 * instance for each. {@link io.portcullis.evaluator.wasi.WasiRuntime} is the entry.
 */
@NullMarked
package io.portcullis.evaluator.wasi;

import org.jspecify.annotations.NullMarked;
