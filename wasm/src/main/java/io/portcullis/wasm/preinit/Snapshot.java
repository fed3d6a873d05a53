package io.portcullis.wasm.preinit;

import io.portcullis.wasm.Instance;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of an instance: its memory and its mutable globals, in the order of the module.
 *
 * @param globals raw bits
 */
record Snapshot(byte[] memory, List<Long> globals) {

    private static final int PAGE_BYTES = 64 << 10;

    /** A stretch that is not all zeros. */
    record Stretch(int start, int end) {}

    /** The unit in which zeros are left out: a page of the machine, so that untouched ones stay untouched. */
    private static final int GRAIN = 4 << 10;

    static Snapshot of(Instance instance, int globals) {
        var values = new ArrayList<Long>();
        for (var index = 0; index < globals; index++) {
            values.add(instance.call(Getters.name(index))[0]);
        }
        return new Snapshot(instance.memory().read(0, instance.memory().size()), List.copyOf(values));
    }

    long pages() {
        return memory.length / PAGE_BYTES;
    }

    /** What must be written into a memory of zeros, from low to high addresses. */
    List<Stretch> stretches() {
        var stretches = new ArrayList<Stretch>();
        var start = -1;
        for (var grain = 0; grain < memory.length; grain += GRAIN) {
            var empty = isZero(grain);
            if (!empty && start < 0) {
                start = grain;
            } else if (empty && start >= 0) {
                stretches.add(trimmed(start, grain));
                start = -1;
            }
        }
        if (start >= 0) {
            stretches.add(trimmed(start, memory.length));
        }
        return stretches;
    }

    private boolean isZero(int grain) {
        for (var index = grain; index < grain + GRAIN; index++) {
            if (memory[index] != 0) {
                return false;
            }
        }
        return true;
    }

    private Stretch trimmed(int start, int end) {
        var first = start;
        while (memory[first] == 0) {
            first++;
        }
        var last = end;
        while (memory[last - 1] == 0) {
            last--;
        }
        return new Stretch(first, last);
    }
}
