/**
 * Group policies. {@link io.portcullis.evaluator.group.GroupPolicies} combines loaded members under a boolean
 * expression. The sub-package contains the expressions and does not depend on evaluation code.
 */
@NullMarked
package io.portcullis.evaluator.group;

import org.jspecify.annotations.NullMarked;
