/**
 * Writes values the way Go writes them: {@code fmt} verbs, floats, quoted strings and JSON texts, for all built-ins
 * whose results contain Go's texts.
 */
@NullMarked
package io.portcullis.evaluator.rego.builtin.format;

import org.jspecify.annotations.NullMarked;
