package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.cluster.ApiWriter;
import io.portcullis.controller.policy.apply.PlanRunner;
import io.portcullis.controller.policy.apply.RollbackRunner;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.observe.Observation;
import io.portcullis.controller.policy.observe.Observer;
import io.portcullis.controller.policy.observe.PrecedenceView;
import io.portcullis.controller.policy.status.RevisionKeeper;
import io.portcullis.controller.policy.status.StatusDelay;
import io.portcullis.controller.policy.status.StatusPublisher;
import io.portcullis.controller.queue.Reconciler;
import io.portcullis.core.lifecycle.ReplicaPod;
import io.portcullis.core.lifecycle.ReplicaReports;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reconciles one policy: observes, plans, applies the steps, and writes the progress to the status. Between passes it
 * keeps only how long a status has been delayed.
 */
final class PolicyReconciler implements Reconciler<PolicyRef> {

    /** The interval without events; repairs drift that no watch reports. */
    private static final Duration RESYNC = Duration.ofMinutes(10);

    /** The retry delay after a conflict; by then the watches have caught up. */
    private static final Duration AFTER_CONFLICT = Duration.ofMillis(40);

    /** The retry delay after the API server rejects a write, because its configuration may change. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(1);

    /** The recheck interval until another policy takes over from one that is being deleted. */
    private static final Duration TAKEOVER_RECHECK = Duration.ofMillis(40);

    /** The longest wait for that, so that a policy can be deleted although another webhook cannot be changed. */
    private static final Duration MAX_TAKEOVER = Duration.ofSeconds(5);

    private final PolicyObjects objects;
    private final PrecedenceView precedence;
    private final Observer observer;
    private final RollbackRunner rollbacks;
    private final PlanRunner plans;
    private final StatusPublisher statuses;
    private final StatusDelay statusDelay;
    private final Clock clock;

    PolicyReconciler(
            PolicyObjects objects,
            PrecedenceView precedence,
            Observer observer,
            RollbackRunner rollbacks,
            PlanRunner plans,
            StatusPublisher statuses,
            StatusDelay statusDelay,
            Clock clock) {
        this.objects = objects;
        this.precedence = precedence;
        this.observer = observer;
        this.rollbacks = rollbacks;
        this.plans = plans;
        this.statuses = statuses;
        this.statusDelay = statusDelay;
        this.clock = clock;
    }

    @Override
    public Optional<Duration> reconcile(PolicyRef ref) {
        try {
            var policy = objects.policy(ref);
            if (policy.isEmpty()) {
                observer.dropCached(ref);
                statusDelay.drop(ref);
            }
            return policy.map(this::reconcile);
        } catch (KubernetesClientException e) {
            if (ApiWriter.isConflict(e)) {
                return Optional.of(AFTER_CONFLICT);
            }
            throw e;
        }
    }

    private Duration reconcile(Policy policy) {
        if (awaitsTakeover(policy)) {
            return TAKEOVER_RECHECK;
        }
        var observed = observer.observe(policy);
        var current = rollBackIfRequested(observed);
        var applied = plans.run(current);
        var nextPass = publishStatus(applied);
        if (applied.failure().isPresent()) {
            throw applied.failure().get(); // the status is correct by now; the queue retries
        }
        return nextPass;
    }

    /**
     * Whether the policy is being deleted, but the policy that takes over does not evaluate its requests yet. Limited
     * in time.
     */
    private boolean awaitsTakeover(Policy policy) {
        return policy.isMarkedForDeletion()
                && precedence.isNamespaceStillExcluded(policy)
                && Instant.parse(policy.getMetadata().getDeletionTimestamp())
                        .plus(MAX_TAKEOVER)
                        .isAfter(clock.instant());
    }

    private Observation rollBackIfRequested(Observation observation) {
        return RollbackRunner.request(observation.policy())
                .map(request -> observer.observe(rollbacks.run(observation, request)))
                .orElse(observation);
    }

    /** Publishes the status, unless the policy is being deleted or the next pass is due. Returns when that pass is due. */
    private Duration publishStatus(PlanRunner.Result applied) {
        if (applied.observation().isEmpty()) {
            return RESYNC;
        }
        var observation = applied.observation().get();
        var ref = observation.policy().ref();
        if (observation.policy().isMarkedForDeletion() || statusDelay.mayDelay(ref)) {
            return RESYNC;
        }
        var settled = statuses.updateRevisions(observation) ? observe(ref).orElse(observation) : observation;
        var statusDelayed = statuses.publish(settled, applied.refusal());
        return nextPass(settled, applied, statusDelayed);
    }

    private Optional<Observation> observe(PolicyRef ref) {
        return objects.policy(ref).map(observer::observe);
    }

    private Duration nextPass(Observation observation, PlanRunner.Result applied, Optional<Duration> statusDelayed) {
        var now = clock.instant();
        return Stream.of(
                        Stream.of(RESYNC),
                        statusDelayed.stream(),
                        RevisionKeeper.recheck(observation).stream(),
                        applied.recheckAt().map(at -> Duration.between(now, at)).stream(),
                        applied.refusal().map(_ -> AFTER_REFUSAL).stream(),
                        replicaDeadlines(observation))
                .flatMap(times -> times)
                .map(time -> time.isNegative() ? Duration.ZERO : time)
                .min(Duration::compareTo)
                .orElse(RESYNC);
    }

    /** When a replica will have been down long enough that its report no longer counts. */
    private static Stream<Duration> replicaDeadlines(Observation observation) {
        return observation.observed().pods().stream()
                .map(ReplicaPod::notReadyFor)
                .flatMap(Optional::stream)
                .filter(down -> down.compareTo(ReplicaReports.PATIENCE) <= 0)
                .map(down -> ReplicaReports.PATIENCE.minus(down).plusMillis(500));
    }
}
