/**
 * What the controller does next with a policy, decided without a cluster. {@link
 * io.portcullis.api.lifecycle.PolicyPlan} turns what is observed into steps; each rule it uses is a small class of its
 * own. Every step may be the last before a crash: the next plan starts from what is observed then.
 *
 * <table>
 * <caption>Where is…?</caption>
 * <tr><td>which revision to create, enable, disable</td><td>{@code PolicyPlan}</td></tr>
 * <tr><td>when the webhook may move</td><td>{@link io.portcullis.api.lifecycle.Gate}</td></tr>
 * <tr><td>rollback</td><td>{@link io.portcullis.api.lifecycle.Rollback}</td></tr>
 * <tr><td>history and garbage</td><td>{@link io.portcullis.api.lifecycle.History}</td></tr>
 * <tr><td>replicas that come, go or fall silent</td><td>{@link io.portcullis.api.lifecycle.ReplicaReports}</td></tr>
 * <tr><td>retries</td><td>{@link io.portcullis.api.lifecycle.RevisionBackoff}</td></tr>
 * <tr><td>deletion of a PolicyServer</td><td>{@link io.portcullis.api.lifecycle.ServerDeletion}</td></tr>
 * <tr><td>Events for users</td><td>{@link io.portcullis.api.lifecycle.TransitionEvents}</td></tr>
 * </table>
 */
@NullMarked
package io.portcullis.api.lifecycle;

import org.jspecify.annotations.NullMarked;
