/**
 * What a PolicyServer allows its tenants: {@link io.portcullis.api.tenancy.Tenancy} is the field {@code spec.tenancy},
 * {@link io.portcullis.api.tenancy.TenancyRules} decides. Admission and the policy server use the same decision.
 */
@NullMarked
package io.portcullis.api.tenancy;

import org.jspecify.annotations.NullMarked;
