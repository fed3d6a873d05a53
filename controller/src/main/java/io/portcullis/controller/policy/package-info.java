/**
 * The life of a policy in the cluster: {@link io.portcullis.controller.policy.PolicyReconciler} observes, lets {@code
 * io.portcullis.api.lifecycle} and {@code io.portcullis.api.status} decide, and applies what they say.
 *
 * <table>
 * <caption>Where is…?</caption>
 * <tr><td>what is observed</td><td>{@code Observer}, {@code Servers}, {@code PolicyObjects}</td></tr>
 * <tr><td>who overrides whom</td><td>{@code PrecedenceView}</td></tr>
 * <tr><td>facts for the status</td><td>{@code FactsGathering}</td></tr>
 * <tr><td>steps of a plan as writes</td><td>{@code StepRunner}, {@code RevisionWriter}, {@code WebhookWriter}, {@code PolicyWriter}</td></tr>
 * <tr><td>reports in replicas' stead, activation times</td><td>{@code RevisionKeeper}</td></tr>
 * <tr><td>rollback</td><td>{@code RollbackRunner}</td></tr>
 * <tr><td>what is left behind</td><td>{@code Sweeper}</td></tr>
 * <tr><td>what wakes whom</td><td>{@code PolicyWatches}</td></tr>
 * </table>
 */
@NullMarked
package io.portcullis.controller.policy;

import org.jspecify.annotations.NullMarked;
