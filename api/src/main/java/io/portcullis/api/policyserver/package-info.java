/**
 * The kind {@link io.portcullis.api.policyserver.PolicyServer}: a group of replicas that serve the policies bound to it.
 */
@NullMarked
package io.portcullis.api.policyserver;

import org.jspecify.annotations.NullMarked;
