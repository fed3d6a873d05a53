/**
 * Divides the memory of the container among the parts of the server. {@link io.portcullis.server.memory.MemorySplit}
 * decides, {@link io.portcullis.server.memory.MemoryLimit} reads the limit.
 */
@NullMarked
package io.portcullis.server.memory;

import org.jspecify.annotations.NullMarked;
