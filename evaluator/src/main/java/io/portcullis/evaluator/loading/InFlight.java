package io.portcullis.evaluator.loading;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts evaluations under way, so that a resource is let go when it is closed and the last of them has left. */
final class InFlight {

    private static final int CLOSED = Integer.MIN_VALUE;

    private final AtomicInteger state = new AtomicInteger();
    private final Runnable release;

    InFlight(Runnable release) {
        this.release = release;
    }

    /** @return false once closed; otherwise {@link #leave} must follow */
    boolean enter() {
        return state.updateAndGet(now -> now < 0 ? now : now + 1) > 0;
    }

    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            release.run();
        }
    }

    void close() {
        if (state.getAndUpdate(now -> now | CLOSED) == 0) {
            release.run();
        }
    }
}
