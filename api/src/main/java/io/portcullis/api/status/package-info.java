/**
 * The one place that decides what a policy's status says. {@link io.portcullis.api.status.Facts} is what was observed,
 * {@link io.portcullis.api.status.StatusDerivation} the pure function from there to the status. The previous status is
 * never looked at, except for the times of transitions.
 */
@NullMarked
package io.portcullis.api.status;

import org.jspecify.annotations.NullMarked;
