package io.portcullis.core.lifecycle;

import io.portcullis.core.status.Facts.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state from which {@link PolicyPlan} decides the next steps for one policy. It contains no state that the
 * controller remembers between reconciles.
 *
 * @param revisions revisions with this policy's UID
 * @param pods one entry per desired replica of the policy's server
 * @param hasPredecessor whether the workload of an earlier release still exists; the replicas replace it
 */
public record Observed(
        PolicyView policy,
        Target target,
        List<Revision> revisions,
        WebhookView webhook,
        List<ReplicaPod> pods,
        boolean hasPredecessor,
        Timing timing) {

    public Observed {
        revisions = List.copyOf(revisions);
        pods = List.copyOf(pods);
    }

    /**
     * The policy as observed.
     *
     * @param isConflicted an older policy owns the unique name
     * @param isSuspended another policy replaces this one by precedence; the policy stays loaded but has no webhook
     * @param isRefused the API server has just rejected the webhook of the latest generation
     */
    public record PolicyView(
            long generation,
            boolean isDeleting,
            boolean hasFinalizer,
            boolean isConflicted,
            boolean isSuspended,
            boolean isRefused) {}

    /** Returns a copy in which the API server rejects the webhook of the latest generation. */
    public Observed refused() {
        return new Observed(
                new PolicyView(
                        policy.generation(),
                        policy.isDeleting(),
                        policy.hasFinalizer(),
                        policy.isConflicted(),
                        policy.isSuspended(),
                        true),
                target,
                revisions,
                webhook,
                pods,
                hasPredecessor,
                timing);
    }

    /**
     * The webhook configuration of the policy, validating or mutating.
     *
     * @param exists an object with the policy's unique name exists and belongs to Portcullis
     * @param generation the generation that the webhook points at; 0 when unknown
     * @param isIntact the webhook equals the rendered one of that generation, and no webhook of the other kind exists
     * @param isServerGone the server behind the webhook is deleted or being deleted; during a move it is not the server that
     *     the policy names
     */
    public record WebhookView(boolean exists, long generation, boolean isIntact, boolean isServerGone) {

        public static final WebhookView ABSENT = new WebhookView(false, 0, false);

        public WebhookView(boolean exists, long generation, boolean isIntact) {
            this(exists, generation, isIntact, false);
        }
    }

    /**
     * The current time and the configured limits.
     *
     * @param drain how long replicas serve an old generation after the webhook has moved away from it
     * @param grace how long a replica may be not ready before the gate ignores it
     */
    public record Timing(Instant now, Duration drain, Duration grace, int historyLimit) {}

    Optional<Revision> revision(long generation) {
        return revisions.stream()
                .filter(revision -> revision.generation() == generation)
                .findFirst();
    }
}
