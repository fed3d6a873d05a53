package io.portcullis.api.lifecycle;

import io.portcullis.api.condition.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When a failed initialisation or load is tried again. What lies in the environment is retried ever more slowly; a defect of the
 * policy stays until policy, server configuration or leader change.
 */
public final class Backoff {

    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final double JITTER = 0.2;

    private Backoff() {}

    /**
     * How long to wait; absent: do not retry.
     *
     * @param failures how often it has failed so far, at least once
     */
    public static Optional<Duration> next(Reason reason, int failures, RandomGenerator random) {
        if (reason.fault() != Reason.Fault.ENVIRONMENT) {
            return Optional.empty();
        }
        var doubled = FIRST.multipliedBy(1L << Math.min(failures - 1, 10));
        var base = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
        var factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        return Optional.of(Duration.ofMillis((long) (base.toMillis() * factor)));
    }
}
