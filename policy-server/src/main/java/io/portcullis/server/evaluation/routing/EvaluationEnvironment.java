package io.portcullis.server.evaluation.routing;

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
 * Holds the current routing table. Readers take no lock. The caller of {@link #swap} closes removed policies after the swap.
 * A reader that still holds a removed policy gets a PolicyClosedException and looks up the policy again. Thread-safe.
 */
public final class EvaluationEnvironment {

    /**
     * Limits the waiting of requests for a generation that is not loaded yet.
     *
     * @param limit the longest wait of a request; the wait also takes at most half of the client's timeout
     * @param maxWaiting the number of requests that may wait at the same time; further requests do not wait
     */
    public record GenerationWait(Duration limit, int maxWaiting) {

        public static final GenerationWait NONE = new GenerationWait(Duration.ZERO, 0);
    }

    private final AtomicReference<RoutingTable> current = new AtomicReference<>(RoutingTable.EMPTY);
    private final GenerationWait generationWait;
    private final Semaphore waitingSlots;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition swapped = lock.newCondition();

    public EvaluationEnvironment(GenerationWait generationWait) {
        this.generationWait = generationWait;
        this.waitingSlots = new Semaphore(generationWait.maxWaiting());
    }

    public void swap(RoutingTable next) {
        current.set(next);
        lock.lock();
        try {
            swapped.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public Optional<RoutedPolicy> find(PolicyAddress address) {
        return current.get().find(address);
    }

    /**
     * Waits for a policy that was not found. The API server may call a new generation before this replica has loaded it, for
     * example after the watch was interrupted.
     */
    public Optional<RoutedPolicy> await(PolicyAddress address, Deadline deadline) throws InterruptedException {
        if (!current.get().mayYetServe(address) || !waitingSlots.tryAcquire()) {
            return find(address);
        }
        try {
            awaitSwap(address, deadline);
        } finally {
            waitingSlots.release();
        }
        return find(address);
    }

    private void awaitSwap(PolicyAddress address, Deadline deadline) throws InterruptedException {
        var left =
                Math.min(generationWait.limit().toNanos(), deadline.remaining().toNanos() / 2);
        lock.lockInterruptibly();
        try {
            while (left > 0 && current.get().mayYetServe(address)) {
                left = swapped.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns evidence of the served generations, read from the routing table that requests use. */
    public List<ServedGeneration> proofs() {
        return current.get().proofs();
    }

    public int loadedCount() {
        return current.get().loadedCount();
    }

    /** Returns the number of requests that wait for a generation. */
    public int waitingCount() {
        return generationWait.maxWaiting() - waitingSlots.availablePermits();
    }
}
