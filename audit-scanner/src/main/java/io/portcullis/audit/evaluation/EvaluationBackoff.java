package io.portcullis.audit.evaluation;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Exponential backoff with a jitter of 20 percent, so that scanners and controllers do not retry at the same time.
 *
 * @param random supplies values from 0 to 1
 */
record EvaluationBackoff(Duration first, DoubleSupplier random) {

    private static final double JITTER = 0.2;

    /** Returns the delay before a retry; the first retry has number 1. */
    Duration before(int retry) {
        var factor = 1 - JITTER + 2 * JITTER * random.getAsDouble();
        return Duration.ofNanos((long) (first.toNanos() * Math.scalb(1.0, retry - 1) * factor));
    }
}
