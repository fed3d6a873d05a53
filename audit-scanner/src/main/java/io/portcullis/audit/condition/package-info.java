/** The matchConditions of webhooks, evaluated on objects that exist: {@link io.portcullis.audit.condition.Conditions}. */
@NullMarked
package io.portcullis.audit.condition;

import org.jspecify.annotations.NullMarked;
