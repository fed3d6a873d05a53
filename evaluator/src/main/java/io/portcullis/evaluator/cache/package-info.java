/**
 * Keeps compiled modules between runs, so that programs start fast. {@link
 * io.portcullis.evaluator.cache.CompiledModuleCache} is the seam; what it returns is executed as native code.
 */
@NullMarked
package io.portcullis.evaluator.cache;

import org.jspecify.annotations.NullMarked;
