/**
 * The file {@code policies.yml}, which lists the policies of a policy server. {@link
 * io.portcullis.api.policies.PolicyEntry} is the entry type.
 */
@NullMarked
package io.portcullis.api.policies;

import org.jspecify.annotations.NullMarked;
