/**
 * What authors write about their policies and how it gets into the module: {@link
 * io.portcullis.kwctl.metadata.MetadataDocument} is the text, {@link io.portcullis.kwctl.metadata.ModuleBinary} carries it. Reading it
 * for evaluation is the evaluator's work.
 */
@NullMarked
package io.portcullis.kwctl.metadata;

import org.jspecify.annotations.NullMarked;
