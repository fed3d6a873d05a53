package io.portcullis.controller.policy;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.lifecycle.TransitionEvents;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.status.Facts;
import io.portcullis.api.status.StatusDerivation;
import io.portcullis.api.status.TransitionTimes;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what the facts say into the status of a policy, if it says something else, and tells it as Events. */
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

    void publish(Policy policy, Facts facts) {
        var before = policy.getStatus();
        var after = TransitionTimes.stamp(StatusDerivation.derive(facts), before, clock.instant());
        if (isSame(before, after)) {
            return;
        }
        policies.applyStatus(policy, after);
        TransitionEvents.between(before, after).forEach(happening -> events.record(policy, happening));
    }

    /** The order of conditions is the API server's choice. */
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
