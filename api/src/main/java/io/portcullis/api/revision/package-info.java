/**
 * The kind {@link io.portcullis.api.revision.PolicyRevision}: the frozen content of one policy generation, and its rollout
 * status.
 */
@NullMarked
package io.portcullis.api.revision;

import org.jspecify.annotations.NullMarked;
