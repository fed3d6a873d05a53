package io.portcullis.wasm;

import io.portcullis.wasm.binary.ModuleOutline;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Estimates how much memory the next instance of a module needs, from the use of earlier instances. Thread-safe.
 *
 * <p>Engines expose only the memory that a module exports or imports. A module with another memory is expected
 * to use all that its limits allow.
 */
public final class MemoryUse {

    private static final long PAGE_BYTES = 64 << 10;

    private final int memories;
    private final boolean visible;
    private final AtomicLong expected;

    private MemoryUse(int memories, boolean visible, long initial) {
        this.memories = memories;
        this.visible = visible;
        this.expected = new AtomicLong(initial);
    }

    public static MemoryUse of(ModuleOutline outline) {
        var exported = outline.exports().stream()
                .anyMatch(export -> export.name().equals("memory") && export.type() instanceof ExternType.Memory);
        var imported = outline.imports().stream().anyMatch(wanted -> wanted.type() instanceof ExternType.Memory);
        var visible = outline.memories() == 1 && (exported || imported);
        return new MemoryUse(outline.memories(), visible, outline.initialMemoryPages() * PAGE_BYTES);
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
