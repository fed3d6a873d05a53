/**
 * What a policy says about itself, carried inside its module. {@link io.portcullis.evaluator.metadata.PolicyMetadata} is the
 * entry type.
 */
@NullMarked
package io.portcullis.evaluator.metadata;

import org.jspecify.annotations.NullMarked;
