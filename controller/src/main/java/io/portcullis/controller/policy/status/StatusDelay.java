package io.portcullis.controller.policy.status;

import io.portcullis.api.policy.PolicyRef;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Delays the status write of a policy while its next pass is already due and may have a step to apply. Skips a status write
 * that would already be stale. Thread-safe.
 */
public final class StatusDelay {

    /** The longest delay of a status write, however many events arrive for the policy. */
    private static final Duration MAX_DELAY = Duration.ofMillis(500);

    private final Predicate<PolicyRef> isDirty;
    private final InstantSource clock;
    /** Since when the status write of a policy has been delayed in favour of its next step. */
    private final Map<PolicyRef, Instant> delayedSince = new ConcurrentHashMap<>();

    /** @param isDirty whether the next pass of a policy is due */
    public StatusDelay(Predicate<PolicyRef> isDirty, InstantSource clock) {
        this.isDirty = isDirty;
        this.clock = clock;
    }

    public boolean mayDelay(PolicyRef policy) {
        var now = clock.instant();
        if (isDirty.test(policy)
                && Duration.between(delayedSince.computeIfAbsent(policy, _ -> now), now)
                                .compareTo(MAX_DELAY)
                        < 0) {
            return true;
        }
        drop(policy);
        return false;
    }

    /** Call when the policy is gone. */
    public void drop(PolicyRef policy) {
        delayedSince.remove(policy);
    }
}
