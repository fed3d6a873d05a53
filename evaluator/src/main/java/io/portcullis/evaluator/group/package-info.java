/**
 * Policies made of policies. {@link io.portcullis.evaluator.group.GroupPolicies} joins loaded members under a boolean
 * expression; the expressions themselves are in the sub-package, free of everything that evaluates.
 */
@NullMarked
package io.portcullis.evaluator.group;

import org.jspecify.annotations.NullMarked;
