/**
 * Runs policies that are WASI commands: a request on standard input, a verdict on standard output, one fresh instance
 * for each request. {@link io.portcullis.evaluator.wasi.WasiRuntime} is the entry point.
 */
@NullMarked
package io.portcullis.evaluator.wasi;

import org.jspecify.annotations.NullMarked;
