package io.portcullis.controller.policy.status;

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
 * Decides which new status can wait, so that several changes become one write and short-lived states cause no alarm.
 * Failures never wait, except for proof that cannot exist yet. Pure function.
 */
final class StatusTiming {

    /**
     * The interval of progress updates, about one second. Times in a status are whole seconds, hence the extra half.
     */
    private static final Duration PROGRESS_INTERVAL = Duration.ofMillis(1500);

    /** New objects are probed at once. The answer arrives within this time, or its absence must be reported. */
    private static final Duration PROOF_TIME = Duration.ofSeconds(2);

    private static final Duration RECHECK = Duration.ofMillis(150);

    private StatusTiming() {}

    /** How long to wait with the status; absent: write it now. */
    static Optional<Duration> delay(
            @Nullable PolicyStatus before, PolicyStatus after, Instant now, Optional<Instant> latestArrival) {
        if (lacksOnlyProof(after)
                && latestArrival.filter(arrival -> isNear(arrival, now)).isPresent()) {
            return Optional.of(RECHECK);
        }
        if (before == null || !isMereProgress(before, after)) {
            return Optional.empty();
        }
        return latestTransition(before)
                .map(latest -> Duration.between(now, latest.plus(PROGRESS_INTERVAL)))
                .filter(left -> left.isPositive() && left.compareTo(PROGRESS_INTERVAL) <= 0);
    }

    /**
     * Compares in both directions, because clocks of other machines may be wrong, and that must not cause a long delay.
     */
    private static boolean isNear(Instant arrival, Instant now) {
        return Duration.between(arrival, now).abs().compareTo(PROOF_TIME) < 0;
    }

    private static boolean lacksOnlyProof(PolicyStatus after) {
        return after.policyStatus() == PolicyState.ACTIVE
                && after.condition(ConditionType.ENFORCED)
                        .filter(enforced ->
                                !enforced.isTrue() && !enforced.reason().equals("Overridden"))
                        .isPresent();
    }

    /** Whether the goal is the same and nothing failed. */
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
