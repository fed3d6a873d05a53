/**
 * Sends reviews to policy servers, and follows policies that move between servers: {@link
 * io.portcullis.audit.evaluation.PolicyCaller}.
 */
@NullMarked
package io.portcullis.audit.evaluation;

import org.jspecify.annotations.NullMarked;
