/**
 * The lifecycle of a policy in the cluster. {@link io.portcullis.controller.policy.PolicyReconciler} observes, decides and
 * applies for one policy; {@link io.portcullis.controller.policy.PolicyWatches} enqueues the policies that a change affects.
 * The decisions are in {@code io.portcullis.core}. The steps have a package each: {@code objects}, {@code webhook},
 * {@code observe}, {@code apply}, {@code status}, {@code metrics}.
 */
@NullMarked
package io.portcullis.controller.policy;

import org.jspecify.annotations.NullMarked;
