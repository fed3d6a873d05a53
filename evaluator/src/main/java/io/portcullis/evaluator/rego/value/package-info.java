/**
 * Rego values: JSON plus sets, with OPA's order between them. {@link io.portcullis.evaluator.rego.value.RegoValue} is the
 * entry; text in and out is the notation of {@code opa_value_dump} and {@code opa_value_parse}.
 */
@NullMarked
package io.portcullis.evaluator.rego.value;

import org.jspecify.annotations.NullMarked;
