/**
 * Resolves the user's arguments to policies on this machine.
 *
 * <p>{@link io.portcullis.kwctl.policy.LocalPolicies} finds local policies, {@link
 * io.portcullis.kwctl.policy.PolicyLocation} pulls the others, and {@link io.portcullis.kwctl.policy.RemoteOptions}
 * configures the connections.
 */
@NullMarked
package io.portcullis.kwctl.policy;

import org.jspecify.annotations.NullMarked;
