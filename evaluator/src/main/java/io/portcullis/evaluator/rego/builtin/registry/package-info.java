/**
 * Maps OPA's names to the built-ins of all families. {@link io.portcullis.evaluator.rego.builtin.registry.Builtins} is
 * the only user of the families.
 */
@NullMarked
package io.portcullis.evaluator.rego.builtin.registry;

import org.jspecify.annotations.NullMarked;
