/** Files that are there whole or not at all: {@link io.portcullis.artifacts.disk.AtomicFile}. */
@NullMarked
package io.portcullis.artifacts.disk;

import org.jspecify.annotations.NullMarked;
