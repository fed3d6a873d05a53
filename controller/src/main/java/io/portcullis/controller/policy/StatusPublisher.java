package io.portcullis.controller.policy;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.lifecycle.TransitionEvents;
import io.portcullis.core.status.Facts;
import io.portcullis.core.status.StatusDerivation;
import io.portcullis.core.status.TransitionTimes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes the derived status of a policy if it differs from the stored one, and records Events. */
final class StatusPublisher {

    private static final Comparator<Condition> ORDER = Comparator.comparing(Condition::type)
            .thenComparingLong(Condition::generation)
            .thenComparingInt(Condition::replica);

    private final PolicyWriter policies;
    private final EventRecorder events;
    private final Clock clock;

    StatusPublisher(PolicyWriter policies, EventRecorder events, Clock clock) {
        this.policies = policies;
        this.events = events;
        this.clock = clock;
    }

    /**
     * Writes the status now, or returns the delay.
     *
     * @param latestArrival when something appeared that could not be probed before
     * @return the delay, if the status is not written now
     */
    Optional<Duration> publish(Policy policy, Facts facts, Optional<Instant> latestArrival) {
        var before = policy.getStatus();
        var now = clock.instant();
        var after = TransitionTimes.stamp(StatusDerivation.derive(facts), before, now);
        if (isSame(before, after)) {
            return Optional.empty();
        }
        var delay = StatusTiming.delay(before, after, now, latestArrival);
        if (delay.isEmpty()) {
            policies.applyStatus(policy, after);
            TransitionEvents.between(before, after).forEach(draft -> events.record(policy, draft));
            MatchConditionSupport.eventDraft(before, after).ifPresent(draft -> events.record(policy, draft));
        }
        return delay;
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
                status.ancestors());
    }
}
