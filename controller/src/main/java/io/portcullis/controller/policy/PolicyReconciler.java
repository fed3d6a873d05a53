package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.lifecycle.PolicyPlan;
import io.portcullis.api.lifecycle.ReplicaPod;
import io.portcullis.api.lifecycle.ReplicaReports;
import io.portcullis.api.lifecycle.Step;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.queue.Reconciler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Brings one policy from what is observed to what is wanted: observe, decide, apply, and say in its status how far it has
 * come. Keeps nothing between passes.
 */
public final class PolicyReconciler implements Reconciler<PolicyRef> {

    /** Though nothing is announced; repairs what no watch would tell. */
    private static final Duration RESYNC = Duration.ofMinutes(10);

    /** When what we saw was no longer so; the watches will have told by then. */
    private static final Duration AFTER_CONFLICT = Duration.ofMillis(200);

    /** A refusal by the API server is asked again: its own configuration may have changed. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(1);

    /** A plan's steps lead to a world with nothing more to do; a few rounds cover what others change meanwhile. */
    private static final int ROUNDS = 4;

    private final PolicyObjects objects;
    private final Observer observer;
    private final RollbackRunner rollbacks;
    private final StepRunner steps;
    private final RevisionKeeper keeper;
    private final FactsGathering facts;
    private final StatusPublisher statuses;
    private final Clock clock;

    PolicyReconciler(
            PolicyObjects objects,
            Observer observer,
            RollbackRunner rollbacks,
            StepRunner steps,
            RevisionKeeper keeper,
            FactsGathering facts,
            StatusPublisher statuses,
            Clock clock) {
        this.objects = objects;
        this.observer = observer;
        this.rollbacks = rollbacks;
        this.steps = steps;
        this.keeper = keeper;
        this.facts = facts;
        this.statuses = statuses;
        this.clock = clock;
    }

    @Override
    public Optional<Duration> reconcile(PolicyRef ref) {
        try {
            return objects.policy(ref).map(this::pass);
        } catch (KubernetesClientException e) {
            if (ApiWriter.isConflict(e)) {
                return Optional.of(AFTER_CONFLICT);
            }
            throw e;
        }
    }

    private Duration pass(Policy policy) {
        var world = observer.observe(policy);
        var request = RollbackRunner.request(policy);
        if (request.isPresent()) {
            world = observer.observe(rollbacks.run(world, request.get()));
        }
        var done = carryOut(world);
        if (world.policy().isMarkedForDeletion()) {
            return RESYNC;
        }
        var after = observe(policy.ref());
        if (after.isEmpty()) {
            return RESYNC;
        }
        keeper.keep(after.get());
        var settled = observe(policy.ref()).orElseGet(after::get);
        statuses.publish(settled.policy(), facts.gather(settled, done.refusal()));
        return next(settled, done);
    }

    /** What a pass came to. */
    private record Done(Optional<String> refusal, Optional<Instant> recheckAt) {}

    private Done carryOut(Observation first) {
        var world = Optional.of(first);
        var recheckAt = Optional.<Instant>empty();
        for (int round = 0; round < ROUNDS && world.isPresent(); round++) {
            var plan = PolicyPlan.of(world.get().observed());
            recheckAt = plan.recheckAt();
            var possible = possible(world.get(), plan.steps());
            if (possible.isEmpty()) {
                break;
            }
            var refusal = steps.run(world.get(), possible);
            if (refusal.isPresent()) {
                return new Done(refusal, recheckAt);
            }
            world = observe(first.policy().ref());
        }
        return new Done(Optional.empty(), recheckAt);
    }

    /** What cannot be used is not frozen; what is served meanwhile stays. */
    private static List<Step> possible(Observation world, List<Step> steps) {
        return world.defect().isEmpty()
                ? steps
                : steps.stream()
                        .filter(step -> !(step instanceof Step.CreateRevision))
                        .toList();
    }

    private Optional<Observation> observe(PolicyRef ref) {
        return objects.policy(ref).map(observer::observe);
    }

    private Duration next(Observation world, Done done) {
        var now = clock.instant();
        return Stream.of(
                        Stream.of(RESYNC),
                        done.recheckAt().map(at -> Duration.between(now, at)).stream(),
                        done.refusal().map(_ -> AFTER_REFUSAL).stream(),
                        silentReplicas(world))
                .flatMap(times -> times)
                .map(time -> time.isNegative() ? Duration.ZERO : time)
                .min(Duration::compareTo)
                .orElse(RESYNC);
    }

    /** When a replica will have been down long enough for its report to be doubted. */
    private static Stream<Duration> silentReplicas(Observation world) {
        return world.observed().pods().stream()
                .map(ReplicaPod::notReadyFor)
                .flatMap(Optional::stream)
                .filter(down -> down.compareTo(ReplicaReports.PATIENCE) <= 0)
                .map(down -> ReplicaReports.PATIENCE.minus(down).plusMillis(500));
    }
}
