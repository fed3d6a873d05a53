package io.portcullis.wasm;

/**
 * The limits of one instance, for all its memories and tables together. An instance with several may use an equal part
 * for each. {@code memory.grow} and {@code table.grow} beyond it fail inside the guest.
 */
public record SizeLimits(long memoryBytes, int tableElements) {

    /** 256 MiB of memory and 100,000 table elements: far more than any known policy needs, and harmless for a node. */
    public static final SizeLimits DEFAULT = new SizeLimits(256L << 20, 100_000);

    public SizeLimits {
        if (memoryBytes <= 0 || tableElements <= 0) {
            throw new IllegalArgumentException("limits must be positive: " + memoryBytes + ", " + tableElements);
        }
    }

    /** The bytes that each memory of a module with this many memories may have. */
    public long bytesPerMemory(int memories) {
        return memoryBytes / Math.max(1, memories);
    }

    /** The elements that each table of a module with this many tables may have. */
    public int elementsPerTable(int tables) {
        return tableElements / Math.max(1, tables);
    }
}
