package io.portcullis.server.evaluation.pool;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that one thread, the owner, creates and waits for, and that another thread, the runner, runs.
 *
 * <pre>
 *   WAITING ──run──▶ RUNNING ──▶ DONE
 *      ├──abandon──▶ ABANDONED
 *      └──shed────▶ SHED
 * </pre>
 */
final class Task<T> {

    private enum State {
        WAITING,
        RUNNING,
        DONE,
        ABANDONED,
        SHED
    }

    private final Supplier<T> work;
    private final Thread owner = Thread.currentThread();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    // Written by the runner before DONE, read by the owner after it.
    private @Nullable T value;
    private @Nullable Throwable failure;

    Task(Supplier<T> work) {
        this.work = work;
    }

    /** Runs the work on the runner. Catches everything that the work throws. */
    void run() {
        if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
            return;
        }
        try {
            value = work.get();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        state.set(State.DONE);
        LockSupport.unpark(owner);
    }

    /** Sheds work that has not started. The owner then gets an {@link OverloadedException}. Any thread may call this. */
    void shed() {
        if (state.compareAndSet(State.WAITING, State.SHED)) {
            LockSupport.unpark(owner);
        }
    }

    /**
     * Waits on the owner for the start of the work. Returns whether the work started within the limit.
     *
     * @throws OverloadedException when the work was shed
     */
    boolean awaitStart(Duration limit) throws InterruptedException {
        var end = System.nanoTime() + limit.toNanos();
        while (state.get() != State.DONE) {
            if (state.get() == State.SHED) {
                throw new OverloadedException("other policies wait for their share of the queue");
            }
            var left = end - System.nanoTime();
            if (left <= 0) {
                return state.get() == State.RUNNING;
            }
            LockSupport.parkNanos(this, left);
            failIfInterrupted();
        }
        return true;
    }

    /** Abandons the work, called by the owner. Returns false when the work has already started. */
    boolean abandon() {
        return state.compareAndSet(State.WAITING, State.ABANDONED);
    }

    /** Waits on the owner for the result. Call after the work has started. */
    @SuppressWarnings("NullAway") // a finished task has its value, and T may itself be nullable
    T result() throws InterruptedException {
        while (state.get() != State.DONE) {
            LockSupport.park(this);
            failIfInterrupted();
        }
        switch (failure) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
        return value;
    }

    private static void failIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
