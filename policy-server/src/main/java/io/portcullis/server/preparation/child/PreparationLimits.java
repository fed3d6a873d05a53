package io.portcullis.server.preparation.child;

import java.time.Duration;

/**
 * The limits for the preparation of one module.
 *
 * @param memoryBytes the private memory of the child process, including its Java heap
 * @param timeout the time from the start of the work to its result
 * @param compiledBytes the size of the largest compiled module
 * @param concurrent the number of children that work at the same time
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

    /** Returns the maximum Java heap of a child. The compiler uses the rest, because it allocates outside the heap. */
    long heapBytes() {
        return Math.max(32 * MIB, memoryBytes / 2);
    }

    /** Returns the number of compiler threads. More threads compile faster but need more memory at the same time. */
    int compilerThreads() {
        return Math.min(Runtime.getRuntime().availableProcessors(), MAX_COMPILER_THREADS);
    }

    /** Returns the CPU time limit of a child for all its threads, including its start. */
    long cpuSeconds() {
        return (timeout.toSeconds() + 5) * (compilerThreads() + 1);
    }

    /**
     * Whether the preparation has reached its timeout. A process that got little CPU time may take up to four times as long,
     * so that modules do not fail on a busy machine.
     */
    boolean isOverdue(Duration elapsed, Duration cpuTime) {
        var hasWorked = cpuTime.multipliedBy(2).compareTo(timeout) >= 0;
        return elapsed.compareTo(hasWorked ? timeout : timeout.multipliedBy(STARVED_FACTOR)) >= 0;
    }

    /** Describes all limits that determine whether a preparation succeeds, apart from the module. */
    public String description() {
        return memoryBytes / MIB + "MiB-" + timeout.toSeconds() + "s-" + compiledBytes / MIB + "MiB";
    }
}
