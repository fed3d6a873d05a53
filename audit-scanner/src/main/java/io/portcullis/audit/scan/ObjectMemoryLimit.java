package io.portcullis.audit.scan;

import java.util.concurrent.Semaphore;

/**
 * Limits the memory of objects under evaluation, across all lists. A hundred small objects need little memory, but
 * each may have a megabyte or more. The limit is fair (first come, first served), so that small objects do not starve
 * a large one. Thread-safe.
 */
final class ObjectMemoryLimit {

    private static final int UNIT = 1024;

    private final int capacity;
    private final Semaphore free;

    ObjectMemoryLimit(int mebibytes) {
        this.capacity = mebibytes * 1024;
        this.free = new Semaphore(capacity, true);
    }

    /**
     * Waits until memory is available. An object larger than the whole limit waits until no other object is under
     * evaluation.
     *
     * @return the units to pass to {@link #release}
     */
    int acquire(long bytes) {
        var units = Math.clamp(bytes / UNIT + 1, 1, capacity);
        free.acquireUninterruptibly(units);
        return units;
    }

    void release(int units) {
        free.release(units);
    }
}
