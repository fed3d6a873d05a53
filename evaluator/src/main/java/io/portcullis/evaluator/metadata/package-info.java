/**
 * Policy metadata, which is part of the module. {@link io.portcullis.evaluator.metadata.PolicyMetadata} is the entry
 * type.
 */
@NullMarked
package io.portcullis.evaluator.metadata;

import org.jspecify.annotations.NullMarked;
