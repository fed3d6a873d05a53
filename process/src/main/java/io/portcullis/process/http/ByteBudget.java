package io.portcullis.process.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes that request bodies hold in memory or may grow to, and bounds them. Large bodies leave a part of the budget to small ones,
 * so that a few large requests do not keep out everybody else. Thread-safe.
 */
final class ByteBudget {

    /** Up to this size a body may use all of the budget. */
    static final int SMALL_BYTES = 64 << 10;

    /** One part of so many is for small bodies only. */
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

    /** What large bodies may use together. */
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

    /** For the few bytes of the server's own health check. */
    void reserveBeyondLimit(long bytes) {
        used.addAndGet(bytes);
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }
}
