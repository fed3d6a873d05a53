package io.portcullis.audit.evaluation;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Detects a server that fails for too long, so that the scan continues without it. Otherwise each of thousands of
 * objects would wait for it. Thread-safe.
 */
final class RetryTimeout {

    private static final long HEALTHY = Long.MIN_VALUE;

    private final Duration limit;
    private final LongSupplier nanoTime;
    private final AtomicLong failingSince = new AtomicLong(HEALTHY);

    RetryTimeout(Duration limit, LongSupplier nanoTime) {
        this.limit = limit;
        this.nanoTime = nanoTime;
    }

    void succeeded() {
        failingSince.set(HEALTHY);
    }

    /** Records a failure. Returns whether failures have continued for longer than the limit. */
    boolean failed() {
        var now = nanoTime.getAsLong();
        failingSince.compareAndSet(HEALTHY, now);
        var since = failingSince.get();
        return since != HEALTHY && now - since > limit.toNanos();
    }
}
