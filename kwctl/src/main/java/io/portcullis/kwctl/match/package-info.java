/**
 * Checks whether an API server would call a policy for a request.
 *
 * <p>{@link io.portcullis.kwctl.match.MatchCheck} matches rules and selectors, {@link
 * io.portcullis.kwctl.match.MatchConditions} evaluates the CEL conditions.
 */
@NullMarked
package io.portcullis.kwctl.match;

import org.jspecify.annotations.NullMarked;
