package io.portcullis.controller.queue;

import io.portcullis.controller.cluster.Failure;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a {@link Reconciler} for dirty keys. Several additions of one key within the delay cause one call. Calls for
 * one key never overlap. An addition during a call causes another call. A failed call is retried with exponential
 * backoff. Thread-safe.
 */
public final class WorkQueue<K> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkQueue.class);

    private final String name;
    private final Reconciler<K> reconciler;
    private final Pace pace;
    private final ScheduledExecutorService timer;
    private final Semaphore workers;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all fields below.
    private final Map<K, ScheduledCall> scheduled = new HashMap<>();
    private final Set<K> running = new HashSet<>();
    /** Keys that became due while their call was running. */
    private final Set<K> dueWhileRunning = new HashSet<>();

    private final Map<K, Integer> failures = new HashMap<>();
    private boolean closed;

    /**
     * The speed of a queue.
     *
     * @param delay during which further additions of a key have no effect
     * @param workers the number of concurrent calls
     * @param firstPause the backoff after the first failure; doubled with each further failure
     * @param longestPause the maximum backoff
     */
    public record Pace(Duration delay, int workers, Duration firstPause, Duration longestPause) {

        /** Suitable for reconcilers that call an API server. */
        public static final Pace USUAL =
                new Pace(Duration.ofMillis(50), 4, Duration.ofMillis(200), Duration.ofMinutes(1));
    }

    private record ScheduledCall(long atNanos, ScheduledFuture<?> call) {}

    public WorkQueue(String name, Pace pace, Reconciler<K> reconciler) {
        this.name = name;
        this.pace = pace;
        this.reconciler = reconciler;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name(name + "-timer").daemon().factory());
        this.workers = new Semaphore(pace.workers());
    }

    /** Call when something about the key may have changed. */
    public void add(K key) {
        addAfter(key, pace.delay());
    }

    /** Schedules a call for the key after the delay, unless an earlier one is scheduled. */
    public void addAfter(K key, Duration delay) {
        lock.lock();
        try {
            var at = System.nanoTime() + delay.toNanos();
            var earlier = scheduled.get(key);
            if (closed || (earlier != null && earlier.atNanos() - at <= 0)) {
                return;
            }
            if (earlier != null) {
                earlier.call().cancel(false);
            }
            scheduled.put(
                    key,
                    new ScheduledCall(at, timer.schedule(() -> begin(key), delay.toNanos(), TimeUnit.NANOSECONDS)));
        } finally {
            lock.unlock();
        }
    }

    private void begin(K key) {
        lock.lock();
        try {
            scheduled.remove(key);
            if (closed) {
                return;
            }
            if (!running.add(key)) {
                dueWhileRunning.add(key);
                return;
            }
        } finally {
            lock.unlock();
        }
        Thread.ofVirtual().name(name + "-" + key).start(() -> run(key));
    }

    private void run(K key) {
        workers.acquireUninterruptibly();
        try {
            var next = reconciler.reconcile(key);
            end(key, true);
            next.ifPresent(delay -> addAfter(key, delay));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(key, true);
        } catch (Exception e) {
            var failed = end(key, false);
            var backoff = backoff(failed);
            log.atWarn()
                    .addKeyValue("queue", name)
                    .addKeyValue("key", key)
                    .addKeyValue("failures", failed)
                    .addKeyValue("retry_ms", backoff.toMillis())
                    .setCause(log.isDebugEnabled() ? e : null)
                    .log("{}", Failure.text(e));
            addAfter(key, backoff);
        } finally {
            workers.release();
        }
    }

    /** Returns the number of failures in a row. */
    private int end(K key, boolean succeeded) {
        lock.lock();
        try {
            running.remove(key);
            if (dueWhileRunning.remove(key)) {
                addAfter(key, Duration.ZERO);
            }
            if (succeeded) {
                failures.remove(key);
                return 0;
            }
            return failures.merge(key, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    private Duration backoff(int failed) {
        var doubled = pace.firstPause().multipliedBy(1L << Math.min(failed - 1, 20));
        return doubled.compareTo(pace.longestPause()) < 0 ? doubled : pace.longestPause();
    }

    /** Whether the key is dirty: something changed since its last call started, so that its observed state is stale. */
    public boolean isDirty(K key) {
        lock.lock();
        try {
            var plan = scheduled.get(key);
            return dueWhileRunning.contains(key)
                    || (plan != null
                            && plan.atNanos() - System.nanoTime()
                                    <= pace.delay().toNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Whether the key is being reconciled, or is about to be. */
    public boolean isBusyWith(K key) {
        lock.lock();
        try {
            return running.contains(key) || isDirty(key);
        } finally {
            lock.unlock();
        }
    }

    /** The number of keys that are scheduled or being reconciled. */
    public int pending() {
        lock.lock();
        try {
            var keys = new HashSet<>(scheduled.keySet());
            keys.addAll(running);
            return keys.size();
        } finally {
            lock.unlock();
        }
    }

    /** Starts no more calls; running calls finish by themselves. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            scheduled.values().forEach(plan -> plan.call().cancel(false));
            scheduled.clear();
        } finally {
            lock.unlock();
        }
        timer.shutdownNow();
    }
}
