package io.portcullis.wasm.preinit;

import io.portcullis.wasm.Instance;
import io.portcullis.wasm.Memory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The state of an instance: the non-zero ranges of its memory, and its mutable globals in the order of the module.
 *
 * @param pages the size of the memory
 * @param stretches from low to high addresses
 * @param globals raw bits
 */
record Snapshot(long pages, List<Stretch> stretches, List<Long> globals) {

    private static final int PAGE_BYTES = 64 << 10;

    /** The unit in which zeros are skipped: a page of the machine, so that untouched pages stay unmapped. */
    private static final int GRAIN = 4 << 10;

    /** How much memory is copied at a time. */
    private static final int CHUNK = 256 << 10;

    /** Bytes at an address. The first and the last byte are not zero. */
    record Stretch(long start, byte[] bytes) {}

    /**
     * Copies only the non-zero ranges.
     *
     * @throws UnsupportedModuleException when that is more than {@code limit} bytes
     */
    static Snapshot of(Instance instance, int globals, long limit) {
        var values = new ArrayList<Long>();
        for (var index = 0; index < globals; index++) {
            values.add(instance.call(Getters.name(index))[0]);
        }
        var memory = instance.memory();
        return new Snapshot(memory.size() / PAGE_BYTES, stretches(memory, limit), List.copyOf(values));
    }

    private static List<Stretch> stretches(Memory memory, long limit) {
        checkSize(memory, limit);
        var stretches = new ArrayList<Stretch>();
        var size = memory.size();
        for (var address = 0L; address < size; address += CHUNK) {
            stretches.addAll(stretches(address, memory.read(address, Math.min(CHUNK, size - address))));
        }
        return List.copyOf(stretches);
    }

    /** Counts before it copies, so that an oversized snapshot allocates no memory. */
    private static void checkSize(Memory memory, long limit) {
        var size = memory.size();
        var total = 0L;
        for (var address = 0L; address < size; address += CHUNK) {
            var chunk = memory.read(address, Math.min(CHUNK, size - address));
            for (var grain = 0; grain < chunk.length; grain += GRAIN) {
                total += isZero(chunk, grain) ? 0 : GRAIN;
            }
            if (total > limit) {
                throw new UnsupportedModuleException(
                        "its start-up leaves more than %d bytes of memory that are not zero".formatted(limit));
            }
        }
    }

    /** A stretch ends at a grain of zeros or at the end of the chunk. */
    private static List<Stretch> stretches(long address, byte[] chunk) {
        var stretches = new ArrayList<Stretch>();
        var start = -1;
        for (var grain = 0; grain < chunk.length; grain += GRAIN) {
            var empty = isZero(chunk, grain);
            if (!empty && start < 0) {
                start = grain;
            } else if (empty && start >= 0) {
                stretches.add(trimmed(address, chunk, start, grain));
                start = -1;
            }
        }
        if (start >= 0) {
            stretches.add(trimmed(address, chunk, start, chunk.length));
        }
        return stretches;
    }

    private static boolean isZero(byte[] chunk, int grain) {
        for (var index = grain; index < grain + GRAIN; index++) {
            if (chunk[index] != 0) {
                return false;
            }
        }
        return true;
    }

    private static Stretch trimmed(long address, byte[] chunk, int start, int end) {
        var first = start;
        while (chunk[first] == 0) {
            first++;
        }
        var last = end;
        while (chunk[last - 1] == 0) {
            last--;
        }
        return new Stretch(address + first, Arrays.copyOfRange(chunk, first, last));
    }
}
