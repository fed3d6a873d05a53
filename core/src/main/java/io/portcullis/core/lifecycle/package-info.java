/**
 * Lifecycle decisions of the controller, without access to a cluster. {@link
 * io.portcullis.core.lifecycle.PolicyPlan} turns the observed state into steps. Each rule is a small class. The controller may
 * crash after any step: the next plan starts from the state that is observed then.
 *
 * <table>
 * <caption>Where is…?</caption>
 * <tr><td>which revision to create, enable, disable</td><td>{@code PolicyPlan}</td></tr>
 * <tr><td>when the webhook may move</td><td>{@link io.portcullis.core.lifecycle.Gate}</td></tr>
 * <tr><td>rollback</td><td>{@link io.portcullis.core.lifecycle.Rollback}</td></tr>
 * <tr><td>revision history and deletion</td><td>{@link io.portcullis.core.lifecycle.History}</td></tr>
 * <tr><td>replicas that are new, removed or not ready</td><td>{@link io.portcullis.core.lifecycle.ReplicaReports}</td></tr>
 * <tr><td>retries</td><td>{@link io.portcullis.core.lifecycle.RevisionBackoff}</td></tr>
 * <tr><td>deletion of a PolicyServer</td><td>{@link io.portcullis.core.lifecycle.ServerDeletion}</td></tr>
 * <tr><td>Events for users</td><td>{@link io.portcullis.core.lifecycle.TransitionEvents}</td></tr>
 * </table>
 */
@NullMarked
package io.portcullis.core.lifecycle;

import org.jspecify.annotations.NullMarked;
