/**
 * Reads and writes the policy metadata in a module.
 *
 * <p>{@link io.portcullis.kwctl.metadata.MetadataDocument} is the metadata, {@link
 * io.portcullis.kwctl.metadata.EditableModule} is the module that contains it. {@code
 * evaluator.metadata} reads the metadata, {@code wasm.binary} the sections of the module.
 */
@NullMarked
package io.portcullis.kwctl.metadata;

import org.jspecify.annotations.NullMarked;
