/**
 * Boolean expressions that combine the members of a policy group. {@link
 * io.portcullis.evaluator.group.expression.GroupExpression} is the entry point: it parses and type-checks with cel-java
 * and evaluates the checked tree itself. The package depends on cel-java and on no other Portcullis package. So the
 * controller, kwctl and the policy server check an expression with the same code. The first expression loads the CEL
 * classes.
 */
@NullMarked
package io.portcullis.evaluator.group.expression;

import org.jspecify.annotations.NullMarked;
