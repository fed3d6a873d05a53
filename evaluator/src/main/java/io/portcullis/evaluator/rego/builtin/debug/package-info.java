/** The built-ins that write to the log. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.debug;

import org.jspecify.annotations.NullMarked;
