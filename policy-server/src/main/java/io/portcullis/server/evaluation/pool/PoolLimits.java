package io.portcullis.server.evaluation.pool;

import java.time.Duration;

/**
 * The limits of an evaluation pool.
 *
 * @param workers the number of evaluations that run at the same time, without extra threads
 * @param queue the number of evaluations of all policies that may wait
 * @param policyQueue the number of evaluations of one policy that may wait
 * @param maxWait the longest time that an evaluation may wait
 */
public record PoolLimits(int workers, int queue, int policyQueue, Duration maxWait) {

    /** The limit of extra threads. If more policies than this are slow at the same time, they delay the others. */
    public static final int MAX_EXTRA_THREADS = 64;
}
