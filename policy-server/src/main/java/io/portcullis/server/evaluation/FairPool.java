package io.portcullis.server.evaluation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads that run evaluations. Work waits in one lane per policy, and lanes take turns, so that a flood for
 * one policy does not push the others back. When evaluations of slow policies hold every worker for {@link #GRACE}, a lane
 * that has nothing running gets a thread of its own: what a slow policy costs the others is
 * their share of the CPU, never its own duration.
 *
 * <p>The queue is shared fairly too: one policy may only hold its part of it, and when all of it is taken, a policy with
 * fewer waiting evaluations displaces the newest one of the policy with the most.
 *
 * <p>A worker stays taken until its evaluation ends, whatever becomes of the client. The lock is held for a few field
 * accesses only, never while anything runs.
 */
final class FairPool implements AutoCloseable {

    static final Duration GRACE = Duration.ofMillis(5);

    /** The lane of the server's own health check; no policy has a slash in its name. Its work is never refused. */
    static final String SELF_CHECK = "/self-check";

    /** Guests recurse deeply before the engine stops them; untouched pages of a stack cost nothing. */
    private static final long STACK_BYTES = 16L << 20;

    private static final class Lane {
        final String name;
        final ArrayDeque<Task<?>> waiting = new ArrayDeque<>();
        int running;
        boolean queued;

        Lane(String name) {
            this.name = name;
        }
    }

    private final PoolLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workArrived = lock.newCondition();
    private final Condition becameIdle = lock.newCondition();

    // All below guarded by the lock.
    private final Map<String, Lane> lanes = new HashMap<>();
    private final ArrayDeque<Lane> turns = new ArrayDeque<>();
    private int waiting;
    private int running;
    private int busyWorkers;
    private long lastBegin;
    private int extra;
    private boolean closed;

    FairPool(PoolLimits limits) {
        this.limits = limits;
        for (var i = 0; i < limits.workers(); i++) {
            thread("evaluation-" + i, this::work);
        }
    }

    private static void thread(String name, Runnable work) {
        Thread.ofPlatform().name(name).stackSize(STACK_BYTES).daemon().start(work);
    }

    /**
     * Runs the work and returns what it returns or throws what it throws.
     *
     * @param patience how long it may wait to begin; the pool's own limit applies too
     * @throws OverloadedException when it did not begin
     */
    <T> T run(String lane, Duration patience, Supplier<T> work) throws InterruptedException {
        var task = new Task<>(work);
        enqueue(lane, task);
        var isBegun = false;
        try {
            var limit = patience.compareTo(limits.patience()) < 0 ? patience : limits.patience();
            var end = System.nanoTime() + limit.toNanos();
            // Again and again: a worker that was free just now may have gone to another lane.
            while (!task.awaitStart(GRACE)) {
                if (System.nanoTime() - end >= 0 && task.abandon()) {
                    throw new OverloadedException("no worker was free within " + limit.toMillis() + " ms");
                }
                rescue(lane);
            }
            isBegun = true;
            return task.result();
        } finally {
            if (!isBegun) {
                task.abandon();
                drop(lane, task);
            }
        }
    }

    /** Takes work that will not run out of its queue, with the request that it holds in memory. */
    private void drop(String name, Task<?> task) {
        lock.lock();
        try {
            var lane = lanes.get(name);
            if (lane != null && lane.waiting.remove(task)) {
                waiting--;
                signalIfIdle();
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many evaluations wait, by policy. */
    Map<String, Integer> waitingByPolicy() {
        lock.lock();
        try {
            var counts = new HashMap<String, Integer>();
            lanes.forEach((name, lane) -> counts.put(name, lane.waiting.size()));
            return counts;
        } finally {
            lock.unlock();
        }
    }

    int waitingCount() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    int runningCount() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing runs or waits any more within the limit. */
    boolean awaitIdle(Duration limit) throws InterruptedException {
        var nanos = limit.toNanos();
        lock.lock();
        try {
            while (running + waiting > 0) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = becameIdle.awaitNanos(nanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void enqueue(String name, Task<?> task) {
        lock.lock();
        try {
            if (closed) {
                throw new OverloadedException("the server is shutting down");
            }
            var lane = lanes.get(name);
            if (!name.equals(SELF_CHECK)) {
                makeRoom(lane == null ? 0 : lane.waiting.size());
            }
            if (lane == null) {
                lane = new Lane(name);
                lanes.put(name, lane);
            }
            lane.waiting.add(task);
            waiting++;
            if (lane.running == 0 && areWorkersStuck()) {
                startExtra(lane);
            } else {
                queue(lane);
                workArrived.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes room for one more evaluation of a policy.
     *
     * @param ownWaiting how many of the policy wait already
     * @throws OverloadedException when the policy has its share of the queue
     */
    private void makeRoom(int ownWaiting) {
        if (ownWaiting >= limits.policyQueue()) {
            throw new OverloadedException(
                    ownWaiting + " evaluations of this policy are waiting already (--policy-queue-size of the server)");
        }
        if (waiting < limits.queue()) {
            return;
        }
        var longest = lanes.values().stream().max(Comparator.comparingInt(lane -> lane.waiting.size()));
        if (longest.isEmpty() || longest.get().waiting.size() <= ownWaiting + 1) {
            throw new OverloadedException(waiting + " evaluations are waiting already (--queue-size of the server)");
        }
        longest.get().waiting.removeLast().shed();
        waiting--;
    }

    /** Whether every worker has been busy with the same evaluation for a while. */
    private boolean areWorkersStuck() {
        return busyWorkers == limits.workers()
                && extra < PoolLimits.MAX_EXTRA_THREADS
                && System.nanoTime() - lastBegin >= GRACE.toNanos();
    }

    private void queue(Lane lane) {
        if (!lane.queued && !lane.waiting.isEmpty()) {
            lane.queued = true;
            turns.add(lane);
        }
    }

    /** Gives a lane that is stuck behind others a thread of its own; a free worker that is slow to wake is not stuck. */
    private void rescue(String name) {
        lock.lock();
        try {
            var lane = lanes.get(name);
            if (lane == null || busyWorkers < limits.workers() || extra >= PoolLimits.MAX_EXTRA_THREADS) {
                return;
            }
            if (lane.running == 0 && !lane.waiting.isEmpty()) {
                startExtra(lane);
            }
        } finally {
            lock.unlock();
        }
    }

    private void startExtra(Lane lane) {
        extra++;
        lane.running++;
        thread("evaluation-extra", () -> workOn(lane));
    }

    private void work() {
        while (true) {
            Lane lane;
            Task<?> task;
            lock.lock();
            try {
                while (turns.isEmpty()) {
                    if (closed) {
                        return;
                    }
                    workArrived.awaitUninterruptibly();
                }
                lane = turns.remove();
                lane.queued = false;
                task = take(lane);
                queue(lane);
                if (task == null) {
                    forget(lane);
                    continue;
                }
                busyWorkers++;
                lastBegin = System.nanoTime();
                lane.running++;
            } finally {
                lock.unlock();
            }
            task.run();
            finished(lane);
        }
    }

    /** The extra thread of one lane; counts as running in it from before it starts until its queue is empty. */
    private void workOn(Lane lane) {
        while (true) {
            Task<?> task;
            lock.lock();
            try {
                task = take(lane);
                if (task == null) {
                    extra--;
                    lane.running--;
                    forget(lane);
                    return;
                }
            } finally {
                lock.unlock();
            }
            task.run();
            lock.lock();
            try {
                running--;
                signalIfIdle();
            } finally {
                lock.unlock();
            }
        }
    }

    private @Nullable Task<?> take(Lane lane) {
        var task = lane.waiting.poll();
        if (task != null) {
            waiting--;
            running++;
        }
        return task;
    }

    private void finished(Lane lane) {
        lock.lock();
        try {
            running--;
            busyWorkers--;
            lane.running--;
            forget(lane);
            signalIfIdle();
        } finally {
            lock.unlock();
        }
    }

    private void forget(Lane lane) {
        if (lane.running == 0 && lane.waiting.isEmpty() && !lane.queued) {
            lanes.remove(lane.name);
        }
    }

    private void signalIfIdle() {
        if (running + waiting == 0) {
            becameIdle.signalAll();
        }
    }

    /** Takes no more work; what is under way goes on. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            workArrived.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
