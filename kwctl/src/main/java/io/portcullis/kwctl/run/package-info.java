/**
 * Evaluates policies on this machine with the evaluator of the policy server.
 *
 * <p>{@link io.portcullis.kwctl.run.PolicyRun} is the policy to evaluate, {@link io.portcullis.kwctl.run.LocalEvaluator}
 * loads it.
 */
@NullMarked
package io.portcullis.kwctl.run;

import org.jspecify.annotations.NullMarked;
