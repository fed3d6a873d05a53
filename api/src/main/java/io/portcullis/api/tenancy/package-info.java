/**
 * Tenancy rules of a PolicyServer. {@link io.portcullis.api.tenancy.Tenancy} is the field {@code spec.tenancy}, and
 * {@link io.portcullis.api.tenancy.TenancyRules} checks policies. Admission and the policy server use the same checks.
 */
@NullMarked
package io.portcullis.api.tenancy;

import org.jspecify.annotations.NullMarked;
