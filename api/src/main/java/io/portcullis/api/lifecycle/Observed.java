package io.portcullis.api.lifecycle;

import io.portcullis.api.status.Facts.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What decides the next steps for one policy. All observed, nothing remembered.
 *
 * @param revisions those of this policy's uid
 * @param pods one for each replica that the named server should have
 * @param hasPredecessor whether the workload of an earlier release, which these replace, is still there
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
     * The policy.
     *
     * @param isConflicted an older policy owns its name
     * @param isSuspended another policy judges in its stead, by precedence: it is to be ready, but without webhook
     * @param isRefused the API server has just refused the webhook of its latest generation
     */
    public record PolicyView(
            long generation,
            boolean isDeleting,
            boolean hasFinalizer,
            boolean isConflicted,
            boolean isSuspended,
            boolean isRefused) {}

    /** The same, knowing that the API server refuses the webhook of the latest generation. */
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
     * Its webhook configuration, of either kind.
     *
     * @param exists there is an object of that name which is ours
     * @param generation the generation it points at; 0 when that cannot be told
     * @param isIntact it is exactly as rendered from that generation's revision, and there is none of the other kind
     * @param leadsNowhere the server it leads to, not necessarily the one the policy names, is gone or going
     */
    public record WebhookView(boolean exists, long generation, boolean isIntact, boolean leadsNowhere) {

        public static final WebhookView ABSENT = new WebhookView(false, 0, false);

        public WebhookView(boolean exists, long generation, boolean isIntact) {
            this(exists, generation, isIntact, false);
        }
    }

    /**
     * Time, and how much of it things take.
     *
     * @param drain how long an old generation goes on being served after the webhook left it
     * @param grace how long a replica may be not ready before it no longer counts
     */
    public record Timing(Instant now, Duration drain, Duration grace, int historyLimit) {}

    Optional<Revision> revision(long generation) {
        return revisions.stream()
                .filter(revision -> revision.generation() == generation)
                .findFirst();
    }
}
