/** Evaluates the matchConditions of webhooks on existing objects: {@link io.portcullis.audit.condition.Conditions}. */
@NullMarked
package io.portcullis.audit.condition;

import org.jspecify.annotations.NullMarked;
