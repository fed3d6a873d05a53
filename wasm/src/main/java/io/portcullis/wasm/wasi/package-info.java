/**
 * WASI preview 1 and its predecessor for guests that get nothing but streams: arguments, environment, clocks, random
 * numbers, standard input, output and error, exit. No files, no sockets; every function links, most return {@code
 * EBADF}. Written once in Java for both engines. {@link io.portcullis.wasm.wasi.Wasi} is the entry point.
 */
@NullMarked
package io.portcullis.wasm.wasi;

import org.jspecify.annotations.NullMarked;
