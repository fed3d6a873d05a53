/**
 * The builtin functions that OPA does not compile into a module but asks of its host. {@link
 * io.portcullis.evaluator.rego.builtin.Builtins} has them by name; one class holds one family. All follow OPA, which is
 * checked with vectors made by the {@code opa} program.
 */
@NullMarked
package io.portcullis.evaluator.rego.builtin;

import org.jspecify.annotations.NullMarked;
