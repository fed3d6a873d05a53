package io.portcullis.server.evaluation;

import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The environment of the moment behind one reference. Readers take no lock; who swaps closes the policies that are no
 * longer in it, after the swap. A reader that still holds one of those is told so by the policy and looks again.
 */
public final class EvaluationEnvironment {

    /**
     * How long, and how many at once, requests wait for a generation that is not here yet.
     *
     * @param limit at most half of the time that the client gives
     * @param atOnce further ones do not wait
     */
    public record Patience(Duration limit, int atOnce) {

        public static final Patience NONE = new Patience(Duration.ZERO, 0);
    }

    private final AtomicReference<Environment> now = new AtomicReference<>(Environment.EMPTY);
    private final Patience patience;
    private final Semaphore seats;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition swapped = lock.newCondition();

    public EvaluationEnvironment(Patience patience) {
        this.patience = patience;
        this.seats = new Semaphore(patience.atOnce());
    }

    public void swap(Environment next) {
        now.set(next);
        lock.lock();
        try {
            swapped.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public Optional<RoutedPolicy> find(PolicyAddress address) {
        return now.get().find(address);
    }

    /**
     * What was not found, if it arrives. The API server may have been told of a generation before us, when we could not hear
     * it for a while.
     */
    Optional<RoutedPolicy> await(PolicyAddress address, Deadline deadline) throws InterruptedException {
        if (!now.get().mayYetServe(address) || !seats.tryAcquire()) {
            return find(address);
        }
        try {
            awaitSwap(address, deadline);
        } finally {
            seats.release();
        }
        return find(address);
    }

    private void awaitSwap(PolicyAddress address, Deadline deadline) throws InterruptedException {
        var left = Math.min(patience.limit().toNanos(), deadline.remaining().toNanos() / 2);
        lock.lockInterruptibly();
        try {
            while (left > 0 && now.get().mayYetServe(address)) {
                left = swapped.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** What is served, from the very table that requests are answered from. */
    public List<ServedGeneration> proofs() {
        return now.get().proofs();
    }

    public int loadedCount() {
        return now.get().loadedCount();
    }

    /** How many requests wait for a generation. */
    int waitingCount() {
        return patience.atOnce() - seats.availablePermits();
    }
}
