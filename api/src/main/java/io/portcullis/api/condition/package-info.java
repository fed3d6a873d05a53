/**
 * What our resources say about themselves: {@link io.portcullis.api.condition.Condition} with its keys, and the catalogue of types and reasons.
 */
@NullMarked
package io.portcullis.api.condition;

import org.jspecify.annotations.NullMarked;
