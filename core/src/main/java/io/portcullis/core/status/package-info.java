/**
 * Derivation of the status of a policy. {@link io.portcullis.core.status.Facts} contains the observed facts, and
 * {@link io.portcullis.core.status.StatusDerivation} is the pure function from facts to status. The previous status is used
 * only for the transition times.
 */
@NullMarked
package io.portcullis.core.status;

import org.jspecify.annotations.NullMarked;
