package io.portcullis.wasm.wasmtime;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the references to a native object and releases it with the last one. Thread-safe and lock-free: requests
 * take and drop references while another thread unloads the module.
 */
final class ReferenceCount {

    private final AtomicInteger count = new AtomicInteger(1);
    private final Runnable release;

    /** Starts with one reference, held by the creator. */
    ReferenceCount(Runnable release) {
        this.release = release;
    }

    /** @throws IllegalStateException when the object is already released */
    void take() {
        var before = count.getAndUpdate(current -> current == 0 ? 0 : current + 1);
        if (before == 0) {
            throw new IllegalStateException("the module is closed");
        }
    }

    void drop() {
        if (count.decrementAndGet() == 0) {
            release.run();
        }
    }
}
