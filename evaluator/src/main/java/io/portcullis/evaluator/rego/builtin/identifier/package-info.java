/** The built-ins for UUIDs and random numbers. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.identifier;

import org.jspecify.annotations.NullMarked;
