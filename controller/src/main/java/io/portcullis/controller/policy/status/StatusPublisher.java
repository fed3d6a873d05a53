package io.portcullis.controller.policy.status;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.controller.policy.apply.PolicyWriter;
import io.portcullis.controller.policy.observe.Observation;
import io.portcullis.controller.policy.webhook.MatchConditionSupport;
import io.portcullis.core.lifecycle.TransitionEvents;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import io.portcullis.core.status.StatusDerivation;
import io.portcullis.core.status.TransitionTimes;
import io.portcullis.process.kubernetes.EventWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes the derived status of a policy if it differs from the stored one, and records Events. */
public final class StatusPublisher {

    private static final Comparator<Condition> ORDER = Comparator.comparing(Condition::type)
            .thenComparingLong(Condition::generation)
            .thenComparingInt(Condition::replica);

    private final RevisionKeeper keeper;
    private final FactsGathering facts;
    private final PolicyWriter policies;
    private final EventWriter events;
    private final Clock clock;

    public StatusPublisher(
            RevisionKeeper keeper, FactsGathering facts, PolicyWriter policies, EventWriter events, Clock clock) {
        this.keeper = keeper;
        this.facts = facts;
        this.policies = policies;
        this.events = events;
        this.clock = clock;
    }

    /** Updates the parts of revision status that only the controller can. Returns whether anything was written. */
    public boolean updateRevisions(Observation observation) {
        return keeper.keep(observation);
    }

    /**
     * Writes the policy's status now, or returns the delay.
     *
     * @param refusal why the API server rejected a write in this reconcile pass
     * @return the delay, if the status is not written now
     */
    public Optional<Duration> publish(Observation observation, Optional<String> refusal) {
        var policy = observation.policy();
        var before = policy.getStatus();
        var now = clock.instant();
        var after = TransitionTimes.stamp(StatusDerivation.derive(facts.gather(observation, refusal)), before, now);
        if (isSame(before, after)) {
            return Optional.empty();
        }
        var delay = StatusTiming.delay(before, after, now, facts.latestArrival(observation));
        if (delay.isEmpty()) {
            policies.applyStatus(policy, after);
            TransitionEvents.between(before, after).forEach(draft -> write(policy, draft));
            MatchConditionSupport.eventDraft(before, after).ifPresent(draft -> write(policy, draft));
        }
        return delay;
    }

    private void write(Policy policy, EventDraft draft) {
        events.write(policy, draft.isWarning(), draft.reason(), draft.message());
    }

    /** Compares without the order of conditions, which the API server chooses. */
    private static boolean isSame(@Nullable PolicyStatus before, PolicyStatus after) {
        return before != null && sorted(before).equals(sorted(after));
    }

    private static PolicyStatus sorted(PolicyStatus status) {
        List<Condition> conditions = status.conditions().stream().sorted(ORDER).toList();
        return new PolicyStatus(
                status.policyStatus(),
                status.phase(),
                status.mode(),
                status.observedGeneration(),
                status.activeGeneration(),
                status.activePolicyServer(),
                conditions,
                status.ancestors(),
                status.revisions());
    }
}
