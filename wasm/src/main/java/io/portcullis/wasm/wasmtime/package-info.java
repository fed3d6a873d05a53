/**
 * The fast engine: the official Wasmtime shared library, called through {@code java.lang.foreign}.
 *
 * <p>From the bottom up: {@code NativeLibrary} finds and calls C functions, {@code Wasmtime} holds the few that run for
 * every request, {@code Layouts} defines the structs; then {@link io.portcullis.wasm.wasmtime.WasmtimeEngine} and the
 * types it hands out. Every native object has exactly one Java owner that releases it.
 */
@NullMarked
package io.portcullis.wasm.wasmtime;

import org.jspecify.annotations.NullMarked;
