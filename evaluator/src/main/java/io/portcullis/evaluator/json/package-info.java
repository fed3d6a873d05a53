/**
 * Reads JSON as bytes, without building trees: {@link io.portcullis.evaluator.json.JsonScanner} checks syntax, hands
 * out the few values that are asked for and the byte ranges of those that are only carried. Errors read like upstream's.
 */
@NullMarked
package io.portcullis.evaluator.json;

import org.jspecify.annotations.NullMarked;
