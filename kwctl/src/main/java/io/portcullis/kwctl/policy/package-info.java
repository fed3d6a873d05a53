/**
 * From what a user types to a policy on this machine: {@link io.portcullis.kwctl.policy.LocalPolicies} finds what is already here, {@link
 * io.portcullis.kwctl.policy.RemoteOptions} brings the rest.
 */
@NullMarked
package io.portcullis.kwctl.policy;

import org.jspecify.annotations.NullMarked;
