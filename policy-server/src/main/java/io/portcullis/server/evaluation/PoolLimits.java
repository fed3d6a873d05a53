package io.portcullis.server.evaluation;

import java.time.Duration;

/**
 * How much an evaluation pool takes on.
 *
 * @param workers evaluations at once in ordinary times
 * @param queue evaluations that may wait, of all policies together
 * @param policyQueue evaluations of one policy that may wait
 * @param patience how long one may wait
 */
public record PoolLimits(int workers, int queue, int policyQueue, Duration patience) {

    /** Bounds the threads beyond the workers; as many policies can be stuck before one delays the others. */
    public static final int MAX_EXTRA_THREADS = 64;
}
