package io.portcullis.api.lifecycle;

import java.time.Instant;

/** One write of the controller. Steps of a plan are done in order; each is idempotent. */
public sealed interface Step {

    /** Freeze the policy's present generation; its Scheduled condition starts as False. */
    record CreateRevision(long generation) implements Step {}

    /** Replicas are to serve it (again); a disable-after stamp is removed. */
    record Enable(String revision) implements Step {}

    /** Replicas are to unload it; it is no longer active and its stamp is removed. */
    record Disable(String revision) implements Step {}

    /** No replica may be ready without it. Always before the webhook points at it. */
    record Activate(String revision) implements Step {}

    /** Nothing points at it any more; disable it after that time. */
    record Drain(String revision, Instant until) implements Step {}

    /** The policy is about to have a webhook, so it may not disappear without us. */
    record AddFinalizer() implements Step {}

    /** Apply the webhook as rendered from this revision; then delete one of the other kind. */
    record Register(String revision) implements Step {}

    /** Delete webhooks of both kinds. */
    record Unregister() implements Step {}

    /** There is no webhook any more: the policy may disappear. */
    record RemoveFinalizer() implements Step {}

    /** Its policy is gone; delete it after that time. */
    record Expire(String revision, Instant at) implements Step {}

    record DeleteRevision(String revision) implements Step {}
}
