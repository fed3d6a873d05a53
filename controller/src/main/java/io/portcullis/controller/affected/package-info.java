/**
 * Which policies change what others see: {@link io.portcullis.controller.affected.AffectedPass} works it out for all of
 * them now and then, {@link io.portcullis.controller.affected.RateLimitedWriter} lets the results out slowly.
 */
@NullMarked
package io.portcullis.controller.affected;

import org.jspecify.annotations.NullMarked;
