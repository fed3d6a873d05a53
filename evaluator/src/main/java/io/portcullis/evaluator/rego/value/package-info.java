/**
 * Rego values: JSON plus sets, with OPA's sort order. {@link io.portcullis.evaluator.rego.value.RegoValue} is the entry
 * point. The text format is that of {@code opa_value_dump} and {@code opa_value_parse}.
 */
@NullMarked
package io.portcullis.evaluator.rego.value;

import org.jspecify.annotations.NullMarked;
