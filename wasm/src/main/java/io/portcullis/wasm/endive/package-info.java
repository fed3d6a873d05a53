/**
 * The fallback engine: Endive compiles modules to JVM bytecode, in pure Java. It runs wherever Java runs, but slower
 * and without vector instructions. {@link io.portcullis.wasm.endive.EndiveEngine} is the entry point.
 */
@NullMarked
package io.portcullis.wasm.endive;

import org.jspecify.annotations.NullMarked;
