package io.portcullis.audit.evaluation;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Waits that double, with a jitter of a fifth either way, so that scanners and controllers do not march in step.
 *
 * @param random from 0 to 1
 */
record EvaluationBackoff(Duration first, DoubleSupplier random) {

    private static final double JITTER = 0.2;

    /** Before a retry; the first has number 1. */
    Duration before(int retry) {
        var factor = 1 - JITTER + 2 * JITTER * random.getAsDouble();
        return Duration.ofNanos((long) (first.toNanos() * Math.scalb(1.0, retry - 1) * factor));
    }
}
