package io.portcullis.wasm;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Estimates how much memory the next instance of a module needs, from the use of earlier instances. Thread-safe.
 *
 * <p>Engines expose only the memory that a module exports or imports. A module with another memory is expected
 * to use all that its limits allow.
 */
public final class MemoryUse {

    private final int memories;
    private final boolean visible;
    private final AtomicLong expected;

    /**
     * @param memories how many memories an instance of the module has
     * @param isVisible whether the module has one memory, and exports or imports it
     * @param initialBytes the size of all memories when an instance starts
     */
    public MemoryUse(int memories, boolean isVisible, long initialBytes) {
        this.memories = memories;
        this.visible = isVisible;
        this.expected = new AtomicLong(initialBytes);
    }

    /** Whether {@link Instance#memory} is all the memory that an instance has. */
    public boolean isVisible() {
        return visible;
    }

    /** Returns the bytes that the next instance is expected to use. */
    public long expected(SizeLimits limits) {
        if (memories == 0) {
            return 0;
        }
        return visible ? Math.min(expected.get(), limits.memoryBytes()) : limits.memoryBytes();
    }

    /** Updates the estimate after an instance: raises it at once, lowers it by half of the difference. */
    public void record(long used) {
        var before = expected.get();
        if (used != before) {
            expected.compareAndSet(before, used > before ? used : before - (before - used) / 2);
        }
    }
}
