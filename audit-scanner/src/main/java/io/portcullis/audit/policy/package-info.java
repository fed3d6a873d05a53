/**
 * Finds the enforced policies from their live webhook configurations: {@link
 * io.portcullis.audit.policy.PolicyInventory}.
 */
@NullMarked
package io.portcullis.audit.policy;

import org.jspecify.annotations.NullMarked;
