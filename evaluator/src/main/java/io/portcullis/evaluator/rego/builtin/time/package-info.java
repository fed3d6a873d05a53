/** The built-ins for times and durations, with Go's layouts. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.time;

import org.jspecify.annotations.NullMarked;
