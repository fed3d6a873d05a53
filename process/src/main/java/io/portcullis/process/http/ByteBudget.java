package io.portcullis.process.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts and bounds the bytes that request bodies hold in memory or may grow to. Part of the budget is reserved for small bodies, so that
 * a few large requests do not block all other requests. Thread-safe.
 */
final class ByteBudget {

    /** A body up to this size may use the whole budget. */
    static final int SMALL_BYTES = 64 << 10;

    /** The fraction {@code 1 / SMALL_SHARE} of the budget is for small bodies only. */
    private static final int SMALL_SHARE = 4;

    private final long maxBytes;
    private final AtomicLong used = new AtomicLong();

    ByteBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    long used() {
        return used.get();
    }

    /** The bytes that all large bodies together may use. */
    long largeBytes() {
        return maxBytes - maxBytes / SMALL_SHARE;
    }

    /**
     * Returns whether the bytes fit below {@code limit}; then they count until {@link #release}.
     *
     * @param limit {@link #maxBytes} for a small body, {@link #largeBytes} for others
     */
    boolean reserve(long bytes, long limit) {
        if (used.addAndGet(bytes) <= limit) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    /** Reserves bytes even beyond the budget, for the small body of the server's self-check. */
    void reserveBeyondLimit(long bytes) {
        used.addAndGet(bytes);
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }
}
