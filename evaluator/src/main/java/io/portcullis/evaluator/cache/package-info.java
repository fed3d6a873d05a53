/**
 * Caches compiled modules between runs, so that programs start fast. {@link
 * io.portcullis.evaluator.cache.CompiledModuleCache} is the interface; the engine executes its content as native code.
 */
@NullMarked
package io.portcullis.evaluator.cache;

import org.jspecify.annotations.NullMarked;
