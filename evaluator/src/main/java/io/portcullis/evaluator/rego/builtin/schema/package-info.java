/** The built-ins that check documents against a JSON Schema, with the messages of OPA's library. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.schema;

import org.jspecify.annotations.NullMarked;
