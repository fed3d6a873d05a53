/**
 * Derivation of the status of a policy. {@link io.portcullis.api.status.Facts} contains the observed facts, and
 * {@link io.portcullis.api.status.StatusDerivation} is the pure function from facts to status. The previous status is used
 * only for the transition times.
 */
@NullMarked
package io.portcullis.api.status;

import org.jspecify.annotations.NullMarked;
