/**
 * Reads and writes the policy metadata in a module.
 *
 * <p>{@link io.portcullis.kwctl.metadata.MetadataDocument} is the metadata, {@link
 * io.portcullis.kwctl.metadata.ModuleBinary} is the module that contains it. The evaluator has its own code to read
 * metadata.
 */
@NullMarked
package io.portcullis.kwctl.metadata;

import org.jspecify.annotations.NullMarked;
