package io.portcullis.core.lifecycle;

import java.time.Instant;

/** One write of the controller. The controller executes the steps of a plan in order. Each step is idempotent. */
public sealed interface Step {

    /** Create a revision of the policy's current generation. Its Scheduled condition starts as False. */
    record CreateRevision(long generation) implements Step {}

    /** Make replicas serve the revision, and remove its disable-after time. */
    record Enable(String revision) implements Step {}

    /** Make replicas unload the revision, set it inactive, and remove its disable-after time. */
    record Disable(String revision) implements Step {}

    /** Set the revision active: no replica is ready without it. This step always precedes {@link Register}. */
    record Activate(String revision) implements Step {}

    /** Set the disable-after time of a revision that is no longer a webhook target. */
    record Drain(String revision, Instant until) implements Step {}

    /** Add the finalizer before the webhook is created, so that the controller can remove the webhook on deletion. */
    record AddFinalizer() implements Step {}

    /** Apply the webhook that is rendered from this revision, then delete a webhook of the other kind. */
    record Register(String revision) implements Step {}

    /** Delete the webhooks of both kinds. */
    record Unregister() implements Step {}

    /** Remove the finalizer, because the policy has no webhook. */
    record RemoveFinalizer() implements Step {}

    /** Set the delete-after time of a revision whose policy is deleted. */
    record Expire(String revision, Instant at) implements Step {}

    record DeleteRevision(String revision) implements Step {}
}
