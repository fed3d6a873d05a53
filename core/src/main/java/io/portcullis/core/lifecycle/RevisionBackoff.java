package io.portcullis.core.lifecycle;

import io.portcullis.api.condition.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Decides when a failed initialization or load is retried. Failures of the environment are retried with exponential backoff.
 * A defect of the policy is not retried until the policy, the server configuration or the leader changes. A tenancy violation
 * is checked again at a fixed interval.
 */
public final class RevisionBackoff {

    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration MAX = Duration.ofMinutes(5);
    /** Fixed, because the check is cheap and an administrator may change the rules at any time. */
    private static final Duration TENANCY = Duration.ofSeconds(30);

    private static final double JITTER = 0.2;

    private RevisionBackoff() {}

    /**
     * Returns how long to wait before the next attempt; empty: do not retry.
     *
     * @param failures number of failures so far, at least 1
     */
    public static Optional<Duration> next(Reason reason, int failures, RandomGenerator random) {
        if (reason == Reason.TENANCY_VIOLATION) {
            return Optional.of(jittered(TENANCY, random));
        }
        if (reason.fault() != Reason.Fault.ENVIRONMENT) {
            return Optional.empty();
        }
        var doubled = FIRST.multipliedBy(1L << Math.min(failures - 1, 10));
        return Optional.of(jittered(doubled.compareTo(MAX) < 0 ? doubled : MAX, random));
    }

    private static Duration jittered(Duration base, RandomGenerator random) {
        var factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        return Duration.ofMillis((long) (base.toMillis() * factor));
    }
}
