/**
 * What a policy says about itself, carried inside its module. {@link io.portcullis.evaluator.metadata.Metadata} is the
 * entry type.
 */
@NullMarked
package io.portcullis.evaluator.metadata;

import org.jspecify.annotations.NullMarked;
