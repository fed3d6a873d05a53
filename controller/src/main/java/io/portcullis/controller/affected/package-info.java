/**
 * Finds policies that mutate the requests of others. {@link io.portcullis.controller.affected.AffectedPass} computes
 * this for all policies at intervals, and {@link io.portcullis.controller.affected.RateLimitedWriter} publishes the
 * results slowly.
 */
@NullMarked
package io.portcullis.controller.affected;

import org.jspecify.annotations.NullMarked;
