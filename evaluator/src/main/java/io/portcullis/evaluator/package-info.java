/**
 * Judges admission requests with WebAssembly policies. {@link io.portcullis.evaluator.PolicyLoader} turns a module and
 * its settings into a {@link io.portcullis.evaluator.LoadedPolicy}; nothing here knows HTTP, registries or Kubernetes clients.
 *
 * <p>The way of a request: {@code review.Reviews} reads the body, {@code LoadedPolicy.audit} runs the module through its
 * {@code runtime}, {@code review.Verdicts} makes a verdict of what comes out, {@code LoadedPolicy.enforce} applies the policy's
 * definition, {@code review.ResponseWriter} writes the answer.
 */
@NullMarked
package io.portcullis.evaluator;

import org.jspecify.annotations.NullMarked;
