/** The built-ins for regular expressions and globs, which stop at the deadline and at a limit of instructions. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.regex;

import org.jspecify.annotations.NullMarked;
