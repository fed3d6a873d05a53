/**
 * The lifecycle of a policy in the cluster. {@link io.portcullis.controller.policy.PolicyReconciler} observes, calls
 * {@code io.portcullis.core.lifecycle} and {@code io.portcullis.core.status} to decide, and applies the decisions.
 *
 * <table> <caption>Where is…?</caption> <tr><td>observation</td><td>{@code Observer}, {@code Servers},
 * {@code PolicyObjects}</td></tr> <tr><td>precedence between policies</td><td>{@code PrecedenceView}</td></tr>
 * <tr><td>facts for the status</td><td>{@code FactsGathering}</td></tr> <tr><td>steps of a plan as
 * writes</td><td>{@code StepRunner}, {@code RevisionWriter}, {@code WebhookWriter}, {@code PolicyWriter}</td></tr>
 * <tr><td>reports on behalf of replicas, activation times</td><td>{@code RevisionKeeper}</td></tr>
 * <tr><td>rollback</td><td>{@code RollbackRunner}</td></tr> <tr><td>deletion of
 * leftovers</td><td>{@code Sweeper}</td></tr> <tr><td>which change enqueues which
 * policy</td><td>{@code PolicyWatches}</td></tr> </table>
 */
@NullMarked
package io.portcullis.controller.policy;

import org.jspecify.annotations.NullMarked;
