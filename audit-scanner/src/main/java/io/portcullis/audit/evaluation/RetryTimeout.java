package io.portcullis.audit.evaluation;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How long a server may be away before a scan goes on without it: otherwise each of ten thousand objects would wait for
 * it in vain. Safe for use by many threads.
 */
final class RetryTimeout {

    private static final long WELL = Long.MIN_VALUE;

    private final Duration limit;
    private final LongSupplier nanoTime;
    private final AtomicLong badSince = new AtomicLong(WELL);

    RetryTimeout(Duration limit, LongSupplier nanoTime) {
        this.limit = limit;
        this.nanoTime = nanoTime;
    }

    void answered() {
        badSince.set(WELL);
    }

    /** Returns whether nothing but failures has been heard for too long. */
    boolean failed() {
        var now = nanoTime.getAsLong();
        badSince.compareAndSet(WELL, now);
        var since = badSince.get();
        return since != WELL && now - since > limit.toNanos();
    }
}
