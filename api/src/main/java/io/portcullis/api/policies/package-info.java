/**
 * What a policy server is told to serve, as it stands in {@code policies.yml}. {@link
 * io.portcullis.api.policies.PolicyEntry} is the entry type.
 */
@NullMarked
package io.portcullis.api.policies;

import org.jspecify.annotations.NullMarked;
