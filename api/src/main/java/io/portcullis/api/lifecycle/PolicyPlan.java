package io.portcullis.api.lifecycle;

import io.portcullis.api.lifecycle.Gate.Decision;
import io.portcullis.api.lifecycle.Observed.Timing;
import io.portcullis.api.status.Facts.Target;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The next steps for one policy. Three cases: it is being deleted; nobody can serve it; or its latest generation is
 * brought to its server. A webhook is created or moved only through {@link Gate}, and never removed because a newer generation fails.
 *
 * @param steps to be done in order
 * @param recheckAt when time alone will ask for more
 */
public record PolicyPlan(List<Step> steps, Optional<Instant> recheckAt) {

    public PolicyPlan {
        steps = List.copyOf(steps);
    }

    public static PolicyPlan of(Observed observed) {
        return new Planning(observed).plan();
    }

    /** One planning pass; collects steps. */
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
                leave();
            } else if (observed.policy().isConflicted() || !hasUsableServer()) {
                standDown();
            } else {
                bringUp();
            }
            return new PolicyPlan(
                    steps, deadlines.stream().filter(timing.now()::isBefore).min(Comparator.naturalOrder()));
        }

        private boolean hasUsableServer() {
            return observed.target() instanceof Target.Present server && server.replicas() > 0;
        }

        /** The policy is being deleted (E16). The object goes at once; its revisions answer stragglers a while longer. */
        private void leave() {
            unregister();
            observed.revisions().stream()
                    .filter(revision -> revision.switches().deleteAfter().isEmpty())
                    .forEach(revision -> steps.add(
                            new Step.Expire(revision.name(), timing.now().plus(timing.drain()))));
            releaseFinalizer();
        }

        /** Nobody can serve the policy (E8): requests must not be sent to where nobody answers. */
        private void standDown() {
            unregister();
            releaseFinalizer();
            observed.revisions().stream().filter(Revision::isEnabled).forEach(this::retire);
            forgetHistory();
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

        /** The latest generation is prepared, and takes over once every replica has it (E1, E2, E3, E17). */
        private void bringUp() {
            var latest = observed.revision(generation);
            if (latest.isEmpty()) {
                steps.add(new Step.CreateRevision(generation));
            } else if (!latest.get().isEnabled() || latest.get().isDraining()) {
                steps.add(new Step.Enable(latest.get().name()));
            }
            var relied = relied();
            if (observed.policy().isSuspended()) {
                // The finalizer stays: with it, what was relied on is known when the webhook comes back, though a newer
                // generation may be broken by then.
                unregister();
            } else {
                relied.ifPresent(this::register);
            }
            observed.revisions().stream()
                    .filter(Revision::isEnabled)
                    .filter(revision -> revision.generation() != generation)
                    .filter(revision -> relied.stream().noneMatch(revision::equals))
                    .forEach(this::retire);
            if (relied.isEmpty()
                    && observed.webhook().leadsNowhere()
                    && !observed.policy().isSuspended()) {
                unregister();
                releaseFinalizer();
            }
            forgetHistory();
        }

        /**
         * What the webhook should point at: the latest generation as soon as the gate is open, and from then on. Otherwise
         * what it points at now, unless its server is leaving in the middle of a move (E9); or, if somebody removed or
         * misled it, what it should have been pointing at. One whose webhook was refused is left out: what is served
         * instead must be kept in order all the same.
         */
        private Optional<Revision> relied() {
            var latest = observed.revision(generation).filter(this::isTaken).filter(this::mayTakeOver);
            if (latest.isPresent()) {
                return latest;
            }
            if (observed.webhook().leadsNowhere()) {
                return Optional.empty();
            }
            var current = observed.revision(observed.webhook().generation())
                    .filter(this::isTaken)
                    .filter(_ -> observed.webhook().exists());
            return current.or(this::changedByOthers);
        }

        private boolean isTaken(Revision revision) {
            return !observed.policy().isRefused() || revision.generation() != generation;
        }

        /** The finalizer is still there, so it was not we who removed the webhook or pointed it at nothing (E17). */
        private Optional<Revision> changedByOthers() {
            return observed.policy().hasFinalizer()
                    ? observed.revisions().stream()
                            .filter(Revision::isRelied)
                            .filter(this::isTaken)
                            .max(Comparator.comparingLong(Revision::generation))
                    : Optional.empty();
        }

        private boolean mayTakeOver(Revision revision) {
            boolean alreadyThere =
                    observed.webhook().exists() && observed.webhook().generation() == revision.generation();
            return alreadyThere
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

        /** First no replica may be ready without it, then the webhook points at it. */
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
         * Stop serving it. What no webhook ever pointed at goes at once (E3); the rest is served until every API server
         * has heard that the webhook moved. A stamp that a crash prevented is set now.
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

        private void forgetHistory() {
            History.surplus(observed.revisions(), generation, timing.historyLimit())
                    .forEach(revision -> steps.add(new Step.DeleteRevision(revision.name())));
        }
    }
}
