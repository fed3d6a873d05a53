package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.queue.Reconciler;
import io.portcullis.core.lifecycle.PolicyPlan;
import io.portcullis.core.lifecycle.ReplicaPod;
import io.portcullis.core.lifecycle.ReplicaReports;
import io.portcullis.core.lifecycle.Step;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Reconciles one policy: observes, plans, applies the steps, and writes the progress to the status. Between passes it
 * keeps only how long a status has been delayed.
 */
public final class PolicyReconciler implements Reconciler<PolicyRef> {

    /** The interval without events; repairs drift that no watch reports. */
    private static final Duration RESYNC = Duration.ofMinutes(10);

    /** The retry delay after a conflict; by then the watches have caught up. */
    private static final Duration AFTER_CONFLICT = Duration.ofMillis(40);

    /** The retry delay after the API server rejects a write, because its configuration may change. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(1);

    /** The longest delay of a status write, however many events arrive for the policy. */
    private static final Duration MAX_STATUS_DELAY = Duration.ofMillis(500);

    /** The recheck interval until another policy takes over from one that is being deleted. */
    private static final Duration TAKEOVER_RECHECK = Duration.ofMillis(40);

    /** The longest wait for that, so that a policy can be deleted although another webhook cannot be changed. */
    private static final Duration MAX_TAKEOVER = Duration.ofSeconds(5);

    /** Steps of a plan normally leave nothing to do. A few repetitions cover concurrent changes by others. */
    private static final int MAX_ATTEMPTS = 4;

    private final PolicyObjects objects;
    private final Observer observer;
    private final RollbackRunner rollbacks;
    private final StepRunner steps;
    private final RevisionKeeper keeper;
    private final FactsGathering facts;
    private final StatusPublisher statuses;
    private final PrecedenceView precedence;
    private final Predicate<PolicyRef> isDirty;
    private final Clock clock;
    /** Since when the status write of a policy has been delayed in favour of its next step. */
    private final Map<PolicyRef, Instant> statusDelayedSince = new ConcurrentHashMap<>();

    PolicyReconciler(
            PolicyObjects objects,
            Observer observer,
            RollbackRunner rollbacks,
            StepRunner steps,
            RevisionKeeper keeper,
            FactsGathering facts,
            StatusPublisher statuses,
            PrecedenceView precedence,
            Predicate<PolicyRef> isDirty,
            Clock clock) {
        this.objects = objects;
        this.observer = observer;
        this.rollbacks = rollbacks;
        this.steps = steps;
        this.keeper = keeper;
        this.facts = facts;
        this.statuses = statuses;
        this.precedence = precedence;
        this.isDirty = isDirty;
        this.clock = clock;
    }

    @Override
    public Optional<Duration> reconcile(PolicyRef ref) {
        try {
            var policy = objects.policy(ref);
            if (policy.isEmpty()) {
                observer.dropCached(ref);
            }
            return policy.map(this::reconcilePolicy);
        } catch (KubernetesClientException e) {
            if (ApiWriter.isConflict(e)) {
                return Optional.of(AFTER_CONFLICT);
            }
            throw e;
        }
    }

    private Duration reconcilePolicy(Policy policy) {
        if (awaitsTakeover(policy)) {
            return TAKEOVER_RECHECK;
        }
        var observation = observer.observe(policy);
        var request = RollbackRunner.request(policy);
        if (request.isPresent()) {
            observation = observer.observe(rollbacks.run(observation, request.get()));
        }
        var result = runSteps(observation);
        if (observation.policy().isMarkedForDeletion()) {
            statusDelayedSince.remove(policy.ref());
        }
        var next = result.observation()
                .filter(after -> !after.policy().isMarkedForDeletion() && !mayDelayStatus(policy.ref()))
                .map(after -> publishStatus(after, result))
                .orElse(RESYNC);
        if (result.failure().isPresent()) {
            throw result.failure().get(); // the status is correct by now; the queue retries
        }
        return next;
    }

    private Duration publishStatus(Observation after, StepsResult result) {
        var settled = keeper.keep(after) ? observe(after.policy().ref()).orElse(after) : after;
        var later = statuses.publish(
                settled.policy(), facts.gather(settled, result.refusal()), facts.latestArrival(settled));
        return next(settled, result, later);
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

    /**
     * Whether the next pass is already due and may have a step to apply. Skips a status write that would already be
     * stale.
     */
    private boolean mayDelayStatus(PolicyRef policy) {
        var now = clock.instant();
        if (isDirty.test(policy)
                && Duration.between(statusDelayedSince.computeIfAbsent(policy, _ -> now), now)
                                .compareTo(MAX_STATUS_DELAY)
                        < 0) {
            return true;
        }
        statusDelayedSince.remove(policy);
        return false;
    }

    /**
     * The result of the steps of a pass.
     *
     * @param observation the observation after the last step; absent when the policy is gone
     * @param refusal why the API server rejects the policy's content
     * @param failure the exception that stopped a step
     */
    private record StepsResult(
            Optional<Observation> observation,
            Optional<String> refusal,
            Optional<Instant> recheckAt,
            Optional<RuntimeException> failure) {}

    private StepsResult runSteps(Observation first) {
        var observation = Optional.of(first);
        var recheckAt = Optional.<Instant>empty();
        for (int attempt = 0; attempt < MAX_ATTEMPTS && observation.isPresent(); attempt++) {
            var plan = PolicyPlan.of(observation.get().observed());
            recheckAt = plan.recheckAt();
            var possible = possible(observation.get(), plan.steps());
            if (possible.isEmpty()) {
                break;
            }
            var refusal = Optional.<String>empty();
            var failure = Optional.<RuntimeException>empty();
            try {
                refusal = steps.run(observation.get(), possible);
                if (refusal.isPresent()) {
                    observe(first.policy().ref()).ifPresent(this::repairServedWebhook);
                }
            } catch (RuntimeException e) {
                if (e instanceof KubernetesClientException refused && ApiWriter.isConflict(refused)) {
                    throw e; // Conflict: our cached object is stale.
                }
                failure = Optional.of(e);
            }
            observation = observe(first.policy().ref());
            if (refusal.isPresent() || failure.isPresent()) {
                return new StepsResult(observation, refusal, recheckAt, failure);
            }
        }
        return new StepsResult(observation, Optional.empty(), recheckAt, Optional.empty());
    }

    /** Repairs the webhook of the previous generation, which may have drifted or need new certificates (E17, E19). */
    private void repairServedWebhook(Observation observation) {
        var plan = PolicyPlan.of(observation.observed().refused());
        var _ = steps.run(observation, possible(observation, plan.steps()));
    }

    /** Creates no revision of an unusable spec; the served revision stays. */
    private static List<Step> possible(Observation observation, List<Step> steps) {
        return observation.defect().isEmpty()
                ? steps
                : steps.stream()
                        .filter(step -> !(step instanceof Step.CreateRevision))
                        .toList();
    }

    private Optional<Observation> observe(PolicyRef ref) {
        return objects.policy(ref).map(observer::observe);
    }

    private Duration next(Observation observation, StepsResult result, Optional<Duration> later) {
        var now = clock.instant();
        return Stream.of(
                        Stream.of(RESYNC),
                        later.stream(),
                        RevisionKeeper.recheck(observation).stream(),
                        result.recheckAt().map(at -> Duration.between(now, at)).stream(),
                        result.refusal().map(_ -> AFTER_REFUSAL).stream(),
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
