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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Brings one policy from what is observed to what is wanted: observe, decide, apply, and say in its status how far it has
 * come. Keeps nothing between passes but how long a status has been waiting.
 */
public final class PolicyReconciler implements Reconciler<PolicyRef> {

    /** Though nothing is announced; repairs what no watch would tell. */
    private static final Duration RESYNC = Duration.ofMinutes(10);

    /** When what we saw was no longer so; the watches will have told by then. */
    private static final Duration AFTER_CONFLICT = Duration.ofMillis(40);

    /** A refusal by the API server is asked again: its own configuration may have changed. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(1);

    /** However much happens to a policy, its status is not put off longer. */
    private static final Duration LONGEST_SILENCE = Duration.ofMillis(500);

    /** Until another policy has taken over from one that is being deleted. */
    private static final Duration FOR_SUCCESSOR = Duration.ofMillis(40);

    /** A policy can be deleted though another one's webhook cannot be changed. */
    private static final Duration LONGEST_SUCCESSION = Duration.ofSeconds(5);

    /** A plan's steps lead to a world with nothing more to do; a few rounds cover what others change meanwhile. */
    private static final int ROUNDS = 4;

    private final PolicyObjects objects;
    private final Observer observer;
    private final RollbackRunner rollbacks;
    private final StepRunner steps;
    private final RevisionKeeper keeper;
    private final FactsGathering facts;
    private final StatusPublisher statuses;
    private final PrecedenceView precedence;
    private final Predicate<PolicyRef> hasNews;
    private final Clock clock;
    /** Since when the status of a policy has been put off for the sake of its next step. */
    private final Map<PolicyRef, Instant> putOff = new ConcurrentHashMap<>();

    PolicyReconciler(
            PolicyObjects objects,
            Observer observer,
            RollbackRunner rollbacks,
            StepRunner steps,
            RevisionKeeper keeper,
            FactsGathering facts,
            StatusPublisher statuses,
            PrecedenceView precedence,
            Predicate<PolicyRef> hasNews,
            Clock clock) {
        this.objects = objects;
        this.observer = observer;
        this.rollbacks = rollbacks;
        this.steps = steps;
        this.keeper = keeper;
        this.facts = facts;
        this.statuses = statuses;
        this.precedence = precedence;
        this.hasNews = hasNews;
        this.clock = clock;
    }

    @Override
    public Optional<Duration> reconcile(PolicyRef ref) {
        try {
            var policy = objects.policy(ref);
            if (policy.isEmpty()) {
                observer.forget(ref);
            }
            return policy.map(this::pass);
        } catch (KubernetesClientException e) {
            if (ApiWriter.isConflict(e)) {
                return Optional.of(AFTER_CONFLICT);
            }
            throw e;
        }
    }

    private Duration pass(Policy policy) {
        if (isStillNeeded(policy)) {
            return FOR_SUCCESSOR;
        }
        var world = observer.observe(policy);
        var request = RollbackRunner.request(policy);
        if (request.isPresent()) {
            world = observer.observe(rollbacks.run(world, request.get()));
        }
        var done = carryOut(world);
        if (world.policy().isMarkedForDeletion()) {
            putOff.remove(policy.ref());
        }
        var next = done.world()
                .filter(after -> !after.policy().isMarkedForDeletion() && !mayPutOffStatus(policy.ref()))
                .map(after -> tell(after, done))
                .orElse(RESYNC);
        if (done.failure().isPresent()) {
            throw done.failure().get(); // the status tells the truth by now; the queue tries again
        }
        return next;
    }

    private Duration tell(Observation after, Done done) {
        var settled = keeper.keep(after) ? observe(after.policy().ref()).orElse(after) : after;
        var later =
                statuses.publish(settled.policy(), facts.gather(settled, done.refusal()), facts.latestArrival(settled));
        return next(settled, done, later);
    }

    /** It is being deleted, and the policy that is to judge in its stead again does not do so yet. Not for long. */
    private boolean isStillNeeded(Policy policy) {
        return policy.isMarkedForDeletion()
                && precedence.isReliedOn(policy)
                && Instant.parse(policy.getMetadata().getDeletionTimestamp())
                        .plus(LONGEST_SUCCESSION)
                        .isAfter(clock.instant());
    }

    /** The next pass is due already and may have a step to make: it need not wait for us to write what is no longer so. */
    private boolean mayPutOffStatus(PolicyRef policy) {
        var now = clock.instant();
        if (hasNews.test(policy)
                && Duration.between(putOff.computeIfAbsent(policy, _ -> now), now)
                                .compareTo(LONGEST_SILENCE)
                        < 0) {
            return true;
        }
        putOff.remove(policy);
        return false;
    }

    /**
     * What a pass came to.
     *
     * @param world as it is after the last step; absent when the policy is gone
     * @param refusal why the API server does not take what the policy asks for
     * @param failure what kept a step from being done
     */
    private record Done(
            Optional<Observation> world,
            Optional<String> refusal,
            Optional<Instant> recheckAt,
            Optional<RuntimeException> failure) {}

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
            var refusal = Optional.<String>empty();
            var failure = Optional.<RuntimeException>empty();
            try {
                refusal = steps.run(world.get(), possible);
                if (refusal.isPresent()) {
                    observe(first.policy().ref()).ifPresent(this::keepWhatIsServed);
                }
            } catch (RuntimeException e) {
                if (e instanceof KubernetesClientException refused && ApiWriter.isConflict(refused)) {
                    throw e; // somebody knows more than we do
                }
                failure = Optional.of(e);
            }
            world = observe(first.policy().ref());
            if (refusal.isPresent() || failure.isPresent()) {
                return new Done(world, refusal, recheckAt, failure);
            }
        }
        return new Done(world, Optional.empty(), recheckAt, Optional.empty());
    }

    /** The webhook of the generation before may have been changed, or need new certificates (E17, E19). */
    private void keepWhatIsServed(Observation world) {
        var plan = PolicyPlan.of(world.observed().refused());
        var _ = steps.run(world, possible(world, plan.steps()));
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

    private Duration next(Observation world, Done done, Optional<Duration> later) {
        var now = clock.instant();
        return Stream.of(
                        Stream.of(RESYNC),
                        later.stream(),
                        RevisionKeeper.recheck(world).stream(),
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
