package io.portcullis.controller.policy;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which new status can wait a moment, so that several become one write and nobody is alarmed by what is about to pass. Bad
 * news never wait, except for proof that nobody can have given yet. Pure.
 */
final class StatusTiming {

    /** Progress is told about once a second. Times in a status are whole seconds, hence a half more. */
    private static final Duration BETWEEN_PROGRESS = Duration.ofMillis(1500);

    /** What has just come is asked at once; the answer is here within this, or its lack is worth telling. */
    private static final Duration FOR_PROOF = Duration.ofSeconds(2);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(150);

    private StatusTiming() {}

    /** How long to wait with it; absent: write it now. */
    static Optional<Duration> delay(
            @Nullable PolicyStatus before, PolicyStatus after, Instant now, Optional<Instant> latestArrival) {
        if (lacksOnlyProof(after)
                && latestArrival.filter(arrival -> isNear(arrival, now)).isPresent()) {
            return Optional.of(LOOK_AGAIN);
        }
        if (before == null || !isMereProgress(before, after)) {
            return Optional.empty();
        }
        return latestTransition(before)
                .map(latest -> Duration.between(now, latest.plus(BETWEEN_PROGRESS)))
                .filter(left -> left.isPositive() && left.compareTo(BETWEEN_PROGRESS) <= 0);
    }

    /** Others' clocks may be wrong in either direction; that must not put anything off for long. */
    private static boolean isNear(Instant arrival, Instant now) {
        return Duration.between(arrival, now).abs().compareTo(FOR_PROOF) < 0;
    }

    private static boolean lacksOnlyProof(PolicyStatus after) {
        return after.policyStatus() == PolicyState.ACTIVE
                && after.condition(ConditionType.ENFORCED)
                        .filter(enforced ->
                                !enforced.isTrue() && !enforced.reason().equals("Overridden"))
                        .isPresent();
    }

    /** On the way to the same goal, and nothing went wrong. */
    private static boolean isMereProgress(PolicyStatus before, PolicyStatus after) {
        return before.observedGeneration() == after.observedGeneration()
                && before.activeGeneration() == after.activeGeneration()
                && before.policyStatus() == after.policyStatus()
                && before.phase() == after.phase()
                && reason(before, ConditionType.ENFORCED).equals(reason(after, ConditionType.ENFORCED))
                && after.condition(ConditionType.ACCEPTED)
                        .filter(accepted -> accepted.status() == ConditionStatus.FALSE)
                        .isEmpty();
    }

    private static Optional<String> reason(PolicyStatus status, ConditionType type) {
        return status.condition(type).map(Condition::reason);
    }

    private static Optional<Instant> latestTransition(PolicyStatus status) {
        return status.conditions().stream()
                .flatMap(condition -> Optional.ofNullable(condition.lastTransitionTime()).stream())
                .map(Instant::parse)
                .max(Comparator.naturalOrder());
    }
}
