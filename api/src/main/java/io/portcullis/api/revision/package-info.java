/**
 * The kind {@link io.portcullis.api.revision.PolicyRevision}: one generation of a policy, its content frozen, its progress reported.
 */
@NullMarked
package io.portcullis.api.revision;

import org.jspecify.annotations.NullMarked;
