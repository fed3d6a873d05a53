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
 * Calls a {@link Reconciler} for keys that something happened to. Announcements of one key within the delay become one
 * call; calls for one key never overlap; an announcement during a call leads to another call; a failed call is repeated
 * with a growing pause. Thread-safe.
 */
public final class WorkQueue<K> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkQueue.class);

    private final String name;
    private final Reconciler<K> reconciler;
    private final Pace pace;
    private final ScheduledExecutorService timer;
    private final Semaphore workers;
    private final ReentrantLock lock = new ReentrantLock();
    // All below are guarded by the lock.
    private final Map<K, Planned> planned = new HashMap<>();
    private final Set<K> running = new HashSet<>();
    /** Came due while running. */
    private final Set<K> again = new HashSet<>();

    private final Map<K, Integer> failures = new HashMap<>();
    private boolean closed;

    /**
     * How fast a queue works.
     *
     * @param delay during which further announcements of a key change nothing
     * @param workers calls at once
     * @param firstPause after a first failure; doubled with each further one
     * @param longestPause between failures
     */
    public record Pace(Duration delay, int workers, Duration firstPause, Duration longestPause) {

        /** What suits reconcilers that talk to an API server. */
        public static final Pace USUAL =
                new Pace(Duration.ofMillis(50), 4, Duration.ofMillis(200), Duration.ofMinutes(1));
    }

    private record Planned(long atNanos, ScheduledFuture<?> call) {}

    public WorkQueue(String name, Pace pace, Reconciler<K> reconciler) {
        this.name = name;
        this.pace = pace;
        this.reconciler = reconciler;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name(name + "-timer").daemon().factory());
        this.workers = new Semaphore(pace.workers());
    }

    /** Something about the key may have changed. */
    public void add(K key) {
        addAfter(key, pace.delay());
    }

    /** Look at the key then, or earlier if something asks for that. */
    public void addAfter(K key, Duration delay) {
        lock.lock();
        try {
            var at = System.nanoTime() + delay.toNanos();
            var earlier = planned.get(key);
            if (closed || (earlier != null && earlier.atNanos() - at <= 0)) {
                return;
            }
            if (earlier != null) {
                earlier.call().cancel(false);
            }
            planned.put(key, new Planned(at, timer.schedule(() -> begin(key), delay.toNanos(), TimeUnit.NANOSECONDS)));
        } finally {
            lock.unlock();
        }
    }

    private void begin(K key) {
        lock.lock();
        try {
            planned.remove(key);
            if (closed) {
                return;
            }
            if (!running.add(key)) {
                again.add(key);
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
            var pause = pause(failed);
            log.atWarn()
                    .addKeyValue("queue", name)
                    .addKeyValue("key", key)
                    .addKeyValue("failures", failed)
                    .addKeyValue("retry_ms", pause.toMillis())
                    .setCause(log.isDebugEnabled() ? e : null)
                    .log("{}", Failure.text(e));
            addAfter(key, pause);
        } finally {
            workers.release();
        }
    }

    /** The number of failures in a row. */
    private int end(K key, boolean succeeded) {
        lock.lock();
        try {
            running.remove(key);
            if (again.remove(key)) {
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

    private Duration pause(int failed) {
        var doubled = pace.firstPause().multipliedBy(1L << Math.min(failed - 1, 20));
        return doubled.compareTo(pace.longestPause()) < 0 ? doubled : pace.longestPause();
    }

    /** Whether something happened to the key since it was last looked at: what is known of it will be out of date at once. */
    public boolean isDirty(K key) {
        lock.lock();
        try {
            var plan = planned.get(key);
            return again.contains(key)
                    || (plan != null
                            && plan.atNanos() - System.nanoTime()
                                    <= pace.delay().toNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Whether the key is being looked at, or is about to be. */
    public boolean isBusyWith(K key) {
        lock.lock();
        try {
            return running.contains(key) || isDirty(key);
        } finally {
            lock.unlock();
        }
    }

    /** Keys that are planned or being looked at. */
    public int pending() {
        lock.lock();
        try {
            var keys = new HashSet<>(planned.keySet());
            keys.addAll(running);
            return keys.size();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing begins any more; calls under way end by themselves. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            planned.values().forEach(plan -> plan.call().cancel(false));
            planned.clear();
        } finally {
            lock.unlock();
        }
        timer.shutdownNow();
    }
}
