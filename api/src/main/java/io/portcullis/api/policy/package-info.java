/**
 * The four policy kinds. {@link io.portcullis.api.policy.Policy} is the resource, {@link io.portcullis.api.policy.PolicySpec}
 * its typed spec, and {@link io.portcullis.api.policy.IdentityScheme} builds its unique name. The format of
 * {@code policies.yml} is in the package {@code policies}.
 */
@NullMarked
package io.portcullis.api.policy;

import org.jspecify.annotations.NullMarked;
