package io.portcullis.api.lifecycle;

import io.portcullis.api.condition.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When a failed initialisation or load is tried again. What lies in the environment is retried ever more slowly; a defect of the
 * policy stays until policy, server configuration or leader change. A violation of tenancy rules is checked again regularly.
 */
public final class RevisionBackoff {

    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofMinutes(5);
    /** Fixed, because the check is cheap and an administrator may change the rules at any time. */
    private static final Duration TENANCY = Duration.ofSeconds(30);

    private static final double JITTER = 0.2;

    private RevisionBackoff() {}

    /**
     * How long to wait; absent: do not retry.
     *
     * @param failures how often it has failed so far, at least once
     */
    public static Optional<Duration> next(Reason reason, int failures, RandomGenerator random) {
        if (reason == Reason.TENANCY_VIOLATION) {
            return Optional.of(jittered(TENANCY, random));
        }
        if (reason.fault() != Reason.Fault.ENVIRONMENT) {
            return Optional.empty();
        }
        var doubled = FIRST.multipliedBy(1L << Math.min(failures - 1, 10));
        return Optional.of(jittered(doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST, random));
    }

    private static Duration jittered(Duration base, RandomGenerator random) {
        var factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        return Duration.ofMillis((long) (base.toMillis() * factor));
    }
}
