package io.portcullis.server.evaluation.pool;

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
 * Runs evaluations on platform threads. Work waits in one lane per policy. The workers serve the lanes in turn, so that a
 * flood of requests for one policy does not delay the others. When evaluations of slow policies occupy every worker for
 * {@link #GRACE}, a lane without a running evaluation gets an extra thread. A slow policy therefore costs the others CPU
 * time, but they never wait for its evaluation to end.
 *
 * <p>The queue is shared fairly too. One policy may only fill its part of the queue. When the queue is full, a policy with
 * fewer waiting evaluations displaces the newest evaluation of the policy with the most.
 *
 * <p>A worker stays busy until its evaluation ends, even if the client disconnects. The lock is held for a few field
 * accesses only, never while an evaluation runs.
 */
public final class FairPool implements AutoCloseable {

    static final Duration GRACE = Duration.ofMillis(5);

    /** The lane of the self-check. No policy has a slash in its name. The pool never refuses work in this lane. */
    public static final String SELF_CHECK = "/self-check";

    /** Guests recurse deeply before the engine stops them. Unused pages of a stack take no memory. */
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

    // The lock guards all fields below.
    private final Map<String, Lane> lanes = new HashMap<>();
    private final ArrayDeque<Lane> turns = new ArrayDeque<>();
    private int waiting;
    private int running;
    private int busyWorkers;
    private long lastStart;
    private int extraThreads;
    private boolean closed;

    public FairPool(PoolLimits limits) {
        this.limits = limits;
        for (var i = 0; i < limits.workers(); i++) {
            thread("evaluation-" + i, this::work);
        }
    }

    private static void thread(String name, Runnable work) {
        Thread.ofPlatform().name(name).stackSize(STACK_BYTES).daemon().start(work);
    }

    /**
     * Runs the work. Returns its result, or throws its exception.
     *
     * @param maxWait the time that the work may wait for a worker; the limit of the pool applies too
     * @throws OverloadedException when the work did not start
     */
    public <T> T run(String lane, Duration maxWait, Supplier<T> work) throws InterruptedException {
        var task = new Task<>(work);
        enqueue(lane, task);
        var isStarted = false;
        try {
            var limit = maxWait.compareTo(limits.maxWait()) < 0 ? maxWait : limits.maxWait();
            var end = System.nanoTime() + limit.toNanos();
            // Check repeatedly: a worker that was free a moment ago may have taken work of another lane.
            while (!task.awaitStart(GRACE)) {
                if (System.nanoTime() - end >= 0 && task.abandon()) {
                    throw new OverloadedException("no worker was free within " + limit.toMillis() + " ms");
                }
                startExtraIfBlocked(lane);
            }
            isStarted = true;
            return task.result();
        } finally {
            if (!isStarted) {
                task.abandon();
                drop(lane, task);
            }
        }
    }

    /** Removes abandoned work from the queue, so that its request does not stay in memory. */
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

    /** Returns the number of waiting evaluations by policy. */
    public Map<String, Integer> waitingByPolicy() {
        lock.lock();
        try {
            var counts = new HashMap<String, Integer>();
            lanes.forEach((name, lane) -> counts.put(name, lane.waiting.size()));
            return counts;
        } finally {
            lock.unlock();
        }
    }

    public int waitingCount() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    public int runningCount() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nothing runs or waits. Returns false if the limit ends first. */
    public boolean awaitIdle(Duration limit) throws InterruptedException {
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
     * @param ownWaiting the number of waiting evaluations of this policy
     * @throws OverloadedException when the policy already fills its share of the queue
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

    /** Whether every worker has run the same evaluation for at least {@link #GRACE}. */
    private boolean areWorkersStuck() {
        return busyWorkers == limits.workers()
                && extraThreads < PoolLimits.MAX_EXTRA_THREADS
                && System.nanoTime() - lastStart >= GRACE.toNanos();
    }

    private void queue(Lane lane) {
        if (!lane.queued && !lane.waiting.isEmpty()) {
            lane.queued = true;
            turns.add(lane);
        }
    }

    /** Starts an extra thread for a lane that waits behind others. Does nothing while a worker is free but not yet awake. */
    private void startExtraIfBlocked(String name) {
        lock.lock();
        try {
            var lane = lanes.get(name);
            if (lane == null || busyWorkers < limits.workers() || extraThreads >= PoolLimits.MAX_EXTRA_THREADS) {
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
        extraThreads++;
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
                    removeIfIdle(lane);
                    continue;
                }
                busyWorkers++;
                lastStart = System.nanoTime();
                lane.running++;
            } finally {
                lock.unlock();
            }
            task.run();
            finished(lane);
        }
    }

    /** Runs on the extra thread of one lane. The thread counts as running in the lane until the lane is empty. */
    private void workOn(Lane lane) {
        while (true) {
            Task<?> task;
            lock.lock();
            try {
                task = take(lane);
                if (task == null) {
                    extraThreads--;
                    lane.running--;
                    removeIfIdle(lane);
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
            removeIfIdle(lane);
            signalIfIdle();
        } finally {
            lock.unlock();
        }
    }

    private void removeIfIdle(Lane lane) {
        if (lane.running == 0 && lane.waiting.isEmpty() && !lane.queued) {
            lanes.remove(lane.name);
        }
    }

    private void signalIfIdle() {
        if (running + waiting == 0) {
            becameIdle.signalAll();
        }
    }

    /** Stops accepting work. Accepted evaluations continue. */
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
