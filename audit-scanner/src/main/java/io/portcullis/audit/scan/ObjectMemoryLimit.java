package io.portcullis.audit.scan;

import java.util.concurrent.Semaphore;

/**
 * Room in memory for the objects that are being judged, for all lists together: a hundred objects at once are nothing while
 * they are small, but each may have a megabyte and more. First come, first served, so that a large one is not kept out by
 * small ones. Safe for use by many threads.
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
     * Waits until there is room. Whoever needs more than there is waits until all others have left.
     *
     * @return to be given back with {@link #leave}
     */
    int enter(long bytes) {
        var units = Math.clamp(bytes / UNIT + 1, 1, capacity);
        free.acquireUninterruptibly(units);
        return units;
    }

    void leave(int units) {
        free.release(units);
    }
}
