/**
 * Runs policies written in Rego and compiled by OPA: modes {@code opa} and {@code gatekeeper}. {@link
 * io.portcullis.evaluator.rego.RegoRuntime} is the entry point; {@link io.portcullis.evaluator.rego.RegoDialect}
 * contains all differences between the two modes.
 */
@NullMarked
package io.portcullis.evaluator.rego;

import org.jspecify.annotations.NullMarked;
