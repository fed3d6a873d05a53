/**
 * The four policy kinds as one code path: {@link io.portcullis.api.policy.Policy} is the resource, {@link io.portcullis.api.policy.PolicySpec} what it asks for, {@link io.portcullis.api.policy.IdentityScheme} the name it is known by everywhere. The format of {@code policies.yml} lives next door in {@code policies}.
 */
@NullMarked
package io.portcullis.api.policy;

import org.jspecify.annotations.NullMarked;
