/**
 * Decides whether an API server would call a webhook for a request. {@link io.portcullis.matching.RequestMatcher} matches
 * rules and selectors, {@link io.portcullis.matching.MatchConditions} evaluates the CEL conditions.
 */
@NullMarked
package io.portcullis.matching;

import org.jspecify.annotations.NullMarked;
