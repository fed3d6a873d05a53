/** Checks whether an API server would call a policy for a request: {@link io.portcullis.kwctl.match.MatchCheck}. */
@NullMarked
package io.portcullis.kwctl.match;

import org.jspecify.annotations.NullMarked;
