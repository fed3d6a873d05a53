/**
 * The boolean expressions that combine the members of a policy group. {@link
 * io.portcullis.evaluator.group.expression.GroupExpression} is the entry: it parses and type-checks with cel-java and
 * walks the checked tree itself. The package depends on cel-java and on nothing of ours, so that the controller, kwctl
 * and the policy server judge an expression by the same code. CEL classes are loaded by the first expression.
 */
@NullMarked
package io.portcullis.evaluator.group.expression;

import org.jspecify.annotations.NullMarked;
