/**
 * Judges admission requests with WebAssembly policies. {@link io.portcullis.evaluator.PolicyLoader} turns a module and
 * its settings into a {@link io.portcullis.evaluator.Policy}; nothing here knows HTTP, registries or Kubernetes clients.
 */
@NullMarked
package io.portcullis.evaluator;

import org.jspecify.annotations.NullMarked;
