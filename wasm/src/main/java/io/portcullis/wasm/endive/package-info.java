/**
 * The engine of last resort: Endive compiles modules to JVM bytecode, in pure Java. It runs wherever Java runs, slower
 * and without vector instructions. {@link io.portcullis.wasm.endive.EndiveEngine} is the entry.
 */
@NullMarked
package io.portcullis.wasm.endive;

import org.jspecify.annotations.NullMarked;
