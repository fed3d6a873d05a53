/**
 * Evaluates policies on this machine with the evaluator of the server: {@link io.portcullis.kwctl.run.PolicyRun} is what to
 * evaluate, {@link io.portcullis.kwctl.run.LocalEvaluator} does it.
 */
@NullMarked
package io.portcullis.kwctl.run;

import org.jspecify.annotations.NullMarked;
