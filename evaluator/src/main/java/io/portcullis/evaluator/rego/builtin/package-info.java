/**
 * What the built-in functions share that OPA does not compile into a module but imports from its host: the interface,
 * the operands and the state of an evaluation. Each family has a sub-package; {@code registry.Builtins} returns all of
 * them by name. All follow OPA; tests check this with vectors from the {@code opa} program.
 */
@NullMarked
package io.portcullis.evaluator.rego.builtin;

import org.jspecify.annotations.NullMarked;
