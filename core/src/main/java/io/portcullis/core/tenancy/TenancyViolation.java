package io.portcullis.core.tenancy;

/**
 * A rule that a policy violates.
 *
 * @param field of the policy, such as {@code spec.module}
 * @param message the rule, the PolicyServer, what was found, what is allowed, and who can change it
 */
public record TenancyViolation(TenancyRule rule, String field, String message) {}
