package io.portcullis.wasm;

/**
 * The limits for all instances of an engine together.
 *
 * @param guestMemoryBytes the budget for the memories of all running instances, see {@link MemoryBudget}
 * @param instances how many instances can run at the same time
 * @param warmInstances how many memories of ended instances are kept for the next instance of the same module
 * @param warmInstanceBytes how much of each such memory stays resident; together with {@code warmInstances} this
 *     bounds the memory of an idle engine
 */
public record EngineLimits(long guestMemoryBytes, int instances, int warmInstances, long warmInstanceBytes) {

    /**
     * For command-line tools and tests: 1 GiB for guests. A server derives its own limits from the memory of its
     * container. 8 MiB per warm instance is enough for a small policy from Go (3.3 MiB).
     */
    public static final EngineLimits DEFAULT = new EngineLimits(1L << 30, 1_000, 16, 8L << 20);

    public EngineLimits {
        if (guestMemoryBytes <= 0 || instances <= 0 || warmInstances < 0 || warmInstanceBytes < 0) {
            throw new IllegalArgumentException("engine limits must be positive");
        }
    }

    /**
     * Limits for a server. Warm instances keep at most a quarter of the guest memory.
     *
     * @param instances how many can run at the same time; each one reserves several GiB of address space
     */
    public static EngineLimits forServer(long guestMemoryBytes, int instances) {
        var warmBytes = DEFAULT.warmInstanceBytes();
        var warm = (int) Math.min(Math.min(DEFAULT.warmInstances(), instances), guestMemoryBytes / 4 / warmBytes);
        return new EngineLimits(guestMemoryBytes, instances, warm, warmBytes);
    }

    /** A budget of {@link #guestMemoryBytes} for one engine. */
    public MemoryBudget guestMemory() {
        return new MemoryBudget("the memory of all guests (--guest-memory)", guestMemoryBytes);
    }
}
