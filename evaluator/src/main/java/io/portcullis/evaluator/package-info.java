/**
 * Evaluates admission requests with WebAssembly policies. {@link io.portcullis.evaluator.PolicyLoader} turns a module
 * and its settings into a {@link io.portcullis.evaluator.LoadedPolicy}. This module does not depend on HTTP, registries
 * or Kubernetes clients.
 *
 * <p>The path of a request: {@code review.Reviews} reads the body. {@code LoadedPolicy.audit} runs the module through
 * its {@code runtime}. {@code review.Verdicts} turns the guest's outcome into a verdict. {@code LoadedPolicy.enforce}
 * applies the policy's definition. {@code review.ResponseWriter} writes the response.
 */
@NullMarked
package io.portcullis.evaluator;

import org.jspecify.annotations.NullMarked;
