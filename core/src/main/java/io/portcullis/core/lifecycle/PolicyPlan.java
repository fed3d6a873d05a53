package io.portcullis.core.lifecycle;

import io.portcullis.core.lifecycle.Gate.Decision;
import io.portcullis.core.lifecycle.Observed.Timing;
import io.portcullis.core.status.Facts.Target;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The next steps for one policy. There are three cases: the policy is being deleted, no server can serve it, or its latest
 * generation is rolled out. A webhook is created or moved only when {@link Gate} is open. A webhook is never removed because
 * a newer generation fails.
 *
 * @param steps the steps, in execution order
 * @param recheckAt when to reconcile again even if nothing changes
 */
public record PolicyPlan(List<Step> steps, Optional<Instant> recheckAt) {

    public PolicyPlan {
        steps = List.copyOf(steps);
    }

    public static PolicyPlan of(Observed observed) {
        return new Planning(observed).plan();
    }

    /** Collects the steps of one plan. */
    private static final class Planning {

        private final Observed observed;
        private final Timing timing;
        private final long generation;
        private final List<Step> steps = new ArrayList<>();
        private final List<Instant> deadlines = new ArrayList<>();

        Planning(Observed observed) {
            this.observed = observed;
            this.timing = observed.timing();
            this.generation = observed.policy().generation();
        }

        PolicyPlan plan() {
            if (observed.policy().isDeleting()) {
                planDeletion();
            } else if (observed.policy().isConflicted() || !hasUsableServer()) {
                planWithoutServer();
            } else {
                planRollout();
            }
            return new PolicyPlan(
                    steps, deadlines.stream().filter(timing.now()::isBefore).min(Comparator.naturalOrder()));
        }

        private boolean hasUsableServer() {
            return observed.target() instanceof Target.Present server && server.replicas() > 0;
        }

        /**
         * Plans the deletion of the policy (E16). The policy object is released at once. Replicas serve its revisions until
         * the drain time is over, because API servers may still send requests.
         */
        private void planDeletion() {
            unregister();
            observed.revisions().stream()
                    .filter(revision -> revision.switches().deleteAfter().isEmpty())
                    .forEach(revision -> steps.add(
                            new Step.Expire(revision.name(), timing.now().plus(timing.drain()))));
            releaseFinalizer();
        }

        /** Plans for a policy that no server can serve (E8). Its webhook must not point at a server that cannot respond. */
        private void planWithoutServer() {
            unregister();
            releaseFinalizer();
            observed.revisions().stream().filter(Revision::isEnabled).forEach(this::retire);
            deleteSurplusRevisions();
        }

        private void unregister() {
            if (observed.webhook().exists()) {
                steps.add(new Step.Unregister());
            }
        }

        private void releaseFinalizer() {
            if (observed.policy().hasFinalizer()) {
                steps.add(new Step.RemoveFinalizer());
            }
        }

        /** Plans the rollout: prepares the latest generation and moves the webhook once the gate opens (E1, E2, E3, E17). */
        private void planRollout() {
            var latest = observed.revision(generation);
            if (latest.isEmpty()) {
                steps.add(new Step.CreateRevision(generation));
            } else if (!latest.get().isEnabled() || latest.get().isDraining()) {
                steps.add(new Step.Enable(latest.get().name()));
            }
            var webhookTarget = webhookTarget();
            if (observed.policy().isSuspended()) {
                // Keep the finalizer: it marks that a webhook target exists. When the suspension ends, the webhook is
                // restored to that target even if a newer generation fails.
                unregister();
            } else {
                webhookTarget.ifPresent(this::register);
            }
            observed.revisions().stream()
                    .filter(Revision::isEnabled)
                    .filter(revision -> revision.generation() != generation)
                    .filter(revision -> webhookTarget.stream().noneMatch(revision::equals))
                    .forEach(this::retire);
            if (webhookTarget.isEmpty()
                    && observed.webhook().isServerGone()
                    && !observed.policy().isSuspended()) {
                unregister();
                releaseFinalizer();
            }
            deleteSurplusRevisions();
        }

        /**
         * Returns the revision that the webhook should point at. It is the latest generation once the gate has opened. Before,
         * it is the current target, unless its server is being deleted during a move (E9). If the webhook was removed or
         * changed by another client, it is the last intended target. A generation whose webhook the API server rejected is
         * skipped, so that the plan still maintains the revision that is served instead.
         */
        private Optional<Revision> webhookTarget() {
            var latest =
                    observed.revision(generation).filter(this::isNotRefused).filter(this::mayTakeOver);
            if (latest.isPresent()) {
                return latest;
            }
            if (observed.webhook().isServerGone()) {
                return Optional.empty();
            }
            var current = observed.revision(observed.webhook().generation())
                    .filter(this::isNotRefused)
                    .filter(_ -> observed.webhook().exists());
            return current.or(this::restoredTarget);
        }

        private boolean isNotRefused(Revision revision) {
            return !observed.policy().isRefused() || revision.generation() != generation;
        }

        /**
         * Returns the last intended target of a webhook that another client removed or redirected (E17). The finalizer still
         * exists, so the controller did not do it.
         */
        private Optional<Revision> restoredTarget() {
            return observed.policy().hasFinalizer()
                    ? observed.revisions().stream()
                            .filter(Revision::isWebhookTarget)
                            .filter(this::isNotRefused)
                            .max(Comparator.comparingLong(Revision::generation))
                    : Optional.empty();
        }

        private boolean mayTakeOver(Revision revision) {
            boolean isCurrentTarget =
                    observed.webhook().exists() && observed.webhook().generation() == revision.generation();
            return isCurrentTarget
                    || switch (Gate.decide(
                            revision.progress(), observed.pods(), timing.grace(), observed.hasPredecessor())) {
                        case Decision.Open _ -> true;
                        case Decision.Closed _ -> {
                            observed.pods().forEach(this::awaitGrace);
                            yield false;
                        }
                    };
        }

        private void awaitGrace(ReplicaPod pod) {
            pod.notReadyFor()
                    .ifPresent(down -> deadlines.add(
                            timing.now().plus(timing.grace()).minus(down).plusSeconds(1)));
        }

        /** Activates the revision before the webhook points at it: replicas are ready only when they serve active revisions. */
        private void register(Revision revision) {
            if (!observed.policy().hasFinalizer()) {
                steps.add(new Step.AddFinalizer());
            }
            if (revision.generation() != generation && revision.isDraining()) {
                steps.add(new Step.Enable(revision.name()));
            }
            if (!revision.switches().active()) {
                steps.add(new Step.Activate(revision.name()));
            }
            var webhook = observed.webhook();
            if (!webhook.exists() || !webhook.isIntact() || webhook.generation() != revision.generation()) {
                steps.add(new Step.Register(revision.name()));
            }
        }

        /**
         * Stops serving a revision. A revision that was never a webhook target is disabled at once (E3). Other revisions are
         * drained until every API server has observed that the webhook moved. If a crash prevented the disable-after stamp,
         * this plan sets it.
         */
        private void retire(Revision revision) {
            var disableAfter = revision.switches().disableAfter();
            if (!revision.switches().active() && !revision.wasActivated() && hasUsableServer()) {
                steps.add(new Step.Disable(revision.name()));
            } else if (disableAfter.isEmpty()) {
                var until = timing.now().plus(timing.drain());
                steps.add(new Step.Drain(revision.name(), until));
                deadlines.add(until);
            } else if (disableAfter.get().isBefore(timing.now())) {
                steps.add(new Step.Disable(revision.name()));
            } else {
                deadlines.add(disableAfter.get().plusMillis(1));
            }
        }

        private void deleteSurplusRevisions() {
            History.surplus(observed.revisions(), generation, timing.historyLimit())
                    .forEach(revision -> steps.add(new Step.DeleteRevision(revision.name())));
        }
    }
}
