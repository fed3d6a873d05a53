/**
 * The built-in functions that OPA does not compile into a module but imports from its host. {@link
 * io.portcullis.evaluator.rego.builtin.Builtins} returns them by name; each class contains one family. All follow OPA;
 * tests check this with vectors from the {@code opa} program.
 */
@NullMarked
package io.portcullis.evaluator.rego.builtin;

import org.jspecify.annotations.NullMarked;
