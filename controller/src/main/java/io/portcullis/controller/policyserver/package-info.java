/**
 * Turns PolicyServers into running replicas: {@link io.portcullis.controller.policyserver.PolicyServerReconciler} observes the
 * live objects (by watch), derives the desired ones (pure, in {@code workload}), and writes the difference.
 */
@NullMarked
package io.portcullis.controller.policyserver;

import org.jspecify.annotations.NullMarked;
