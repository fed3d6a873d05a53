/**
 * Tenancy rules of a PolicyServer. {@link io.portcullis.api.policyserver.Tenancy} is the field {@code spec.tenancy}, and
 * {@link io.portcullis.core.tenancy.TenancyRules} checks policies. Admission and the policy server use the same checks.
 */
@NullMarked
package io.portcullis.core.tenancy;

import org.jspecify.annotations.NullMarked;
