/** Atomic file writes: {@link io.portcullis.artifacts.disk.AtomicFile}. */
@NullMarked
package io.portcullis.artifacts.disk;

import org.jspecify.annotations.NullMarked;
