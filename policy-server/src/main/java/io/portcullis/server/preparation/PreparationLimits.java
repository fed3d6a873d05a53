package io.portcullis.server.preparation;

import java.time.Duration;

/**
 * What the preparation of one module may use.
 *
 * @param memoryBytes private memory of the child process, its Java heap included
 * @param timeout from the start of the work to its result
 * @param compiledBytes largest compiled module
 * @param concurrent children that work at the same time
 */
public record PreparationLimits(long memoryBytes, Duration timeout, long compiledBytes, int concurrent) {

    private static final long MIB = 1 << 20;
    private static final int MAX_COMPILER_THREADS = 4;
    private static final int STARVED_FACTOR = 4;

    public PreparationLimits {
        if (memoryBytes <= 0 || compiledBytes <= 0 || concurrent <= 0 || !timeout.isPositive()) {
            throw new IllegalArgumentException("limits of a preparation must be positive");
        }
    }

    /** The largest Java heap of a child. The rest is for the compiler, which allocates outside of the heap. */
    long heapBytes() {
        return Math.max(32 * MIB, memoryBytes / 2);
    }

    /** More threads compile faster and need more memory at once. */
    int compilerThreads() {
        return Math.min(Runtime.getRuntime().availableProcessors(), MAX_COMPILER_THREADS);
    }

    /** The CPU time of a child, over all its threads, its start included. */
    long cpuSeconds() {
        return (timeout.toSeconds() + 5) * (compilerThreads() + 1);
    }

    /**
     * Whether the time is over. A process that the machine gave little CPU time gets up to four times as long, so that a
     * busy machine does not make modules fail.
     */
    boolean isOverdue(Duration elapsed, Duration cpuTime) {
        var hasWorked = cpuTime.multipliedBy(2).compareTo(timeout) >= 0;
        return elapsed.compareTo(hasWorked ? timeout : timeout.multipliedBy(STARVED_FACTOR)) >= 0;
    }

    /** Names all that decides whether a preparation succeeds, apart from the module. */
    String description() {
        return memoryBytes / MIB + "MiB-" + timeout.toSeconds() + "s-" + compiledBytes / MIB + "MiB";
    }
}
