/**
 * Status conditions of Portcullis resources: {@link io.portcullis.api.condition.Condition}, its key, and all types and
 * reasons.
 */
@NullMarked
package io.portcullis.api.condition;

import org.jspecify.annotations.NullMarked;
