/**
 * Whether an API server would ask a policy about a request at all: {@link io.portcullis.kwctl.match.MatchCheck} looks at rules and
 * selectors, {@link io.portcullis.kwctl.match.MatchConditions} at the CEL conditions.
 */
@NullMarked
package io.portcullis.kwctl.match;

import org.jspecify.annotations.NullMarked;
