/**
 * Runs policies written in Rego, compiled by OPA: modes {@code opa} and {@code gatekeeper}. {@link
 * io.portcullis.evaluator.rego.RegoRuntime} is the entry; {@link io.portcullis.evaluator.rego.RegoDialect} holds all
 * that differs between the two.
 */
@NullMarked
package io.portcullis.evaluator.rego;

import org.jspecify.annotations.NullMarked;
