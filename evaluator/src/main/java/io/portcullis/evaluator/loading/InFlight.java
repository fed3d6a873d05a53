package io.portcullis.evaluator.loading;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts running evaluations, so that a resource is released after it is closed and the last evaluation has finished.
 */
final class InFlight {

    private static final int CLOSED = Integer.MIN_VALUE;

    private final AtomicInteger state = new AtomicInteger();
    private final Runnable release;

    InFlight(Runnable release) {
        this.release = release;
    }

    /** @return false if closed; otherwise the caller must call {@link #leave} */
    boolean enter() {
        return state.updateAndGet(count -> count < 0 ? count : count + 1) > 0;
    }

    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            release.run();
        }
    }

    void close() {
        if (state.getAndUpdate(count -> count | CLOSED) == 0) {
            release.run();
        }
    }
}
