/** The built-ins for strings, units and versions. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.text;

import org.jspecify.annotations.NullMarked;
