package io.portcullis.controller.affected;

import io.portcullis.api.policy.PolicyRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Lets results out one by one, so that one mutating policy among thousands causes no storm of writes: so many per second
 * altogether, and each policy only now and then. What comes in meanwhile replaces what was waiting. Thread-safe.
 */
public final class Publication implements AutoCloseable {

    private final Pace pace;
    private final Consumer<PolicyRef> onNews;
    private final ScheduledExecutorService timer;
    private final ReentrantLock lock = new ReentrantLock();
    // All below are guarded by the lock.
    private Map<PolicyRef, List<String>> wanted = Map.of();
    private final Map<PolicyRef, List<String>> published = new HashMap<>();
    private final Map<PolicyRef, Long> publishedAt = new HashMap<>();
    private final Set<PolicyRef> waiting = new LinkedHashSet<>();
    private boolean isRunning;

    /**
     * How fast.
     *
     * @param between any two
     * @param betweenSame two for the same policy
     */
    public record Pace(Duration between, Duration betweenSame) {

        public static final Pace USUAL = new Pace(Duration.ofMillis(100), Duration.ofSeconds(5));
    }

    public Publication(Pace pace, Consumer<PolicyRef> onNews) {
        this.pace = pace;
        this.onNews = onNews;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("policy-affected").daemon().factory());
    }

    /** What has been let out about a policy. */
    public Optional<List<String>> affectedBy(PolicyRef policy) {
        lock.lock();
        try {
            return Optional.ofNullable(published.get(policy));
        } finally {
            lock.unlock();
        }
    }

    /** What the statuses say already, so that a restart changes nothing. */
    void assume(Map<PolicyRef, List<String>> known) {
        lock.lock();
        try {
            known.forEach(published::putIfAbsent);
        } finally {
            lock.unlock();
        }
    }

    /** New results for all policies; one that is missing is none of ours any more. */
    void offer(Map<PolicyRef, List<String>> results) {
        lock.lock();
        try {
            wanted = Map.copyOf(results);
            waiting.clear();
            published.keySet().stream()
                    .filter(policy -> !wanted.containsKey(policy))
                    .forEach(waiting::add);
            wanted.forEach((policy, others) -> {
                if (!others.equals(published.get(policy))) {
                    waiting.add(policy);
                }
            });
            publishedAt.keySet().removeIf(policy -> !wanted.containsKey(policy));
            if (!waiting.isEmpty() && !isRunning) {
                isRunning = true;
                schedule();
            }
        } finally {
            lock.unlock();
        }
    }

    private void schedule() {
        var _ = timer.schedule(this::publishOne, pace.between().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void publishOne() {
        Optional<PolicyRef> next;
        lock.lock();
        try {
            next = waiting.stream().filter(this::mayGo).findFirst();
            next.ifPresent(policy -> {
                waiting.remove(policy);
                var others = wanted.get(policy);
                if (others == null) {
                    published.remove(policy);
                } else {
                    published.put(policy, others);
                    publishedAt.put(policy, System.nanoTime());
                }
            });
            isRunning = !waiting.isEmpty() && !timer.isShutdown();
            if (isRunning) {
                schedule();
            }
        } finally {
            lock.unlock();
        }
        next.ifPresent(onNews);
    }

    private boolean mayGo(PolicyRef policy) {
        var last = publishedAt.get(policy);
        return last == null || System.nanoTime() - last >= pace.betweenSame().toNanos();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
