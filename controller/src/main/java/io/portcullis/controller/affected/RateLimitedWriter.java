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
import java.util.function.Predicate;

/**
 * Publishes results one by one, so that one mutating policy among thousands causes no burst of writes. It limits the
 * total rate and the rate per policy. It pauses until the last result has been processed; otherwise delayed readers
 * would write many results at once. New results replace waiting ones. Thread-safe.
 */
public final class RateLimitedWriter implements AutoCloseable {

    private final Pace pace;
    private final Consumer<PolicyRef> onPublished;
    private final Predicate<PolicyRef> isUnprocessed;
    private final ScheduledExecutorService timer;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all fields below.
    private Map<PolicyRef, List<String>> wanted = Map.of();
    private final Map<PolicyRef, List<String>> published = new HashMap<>();
    private final Map<PolicyRef, Long> publishedAt = new HashMap<>();
    private final Set<PolicyRef> waiting = new LinkedHashSet<>();
    private boolean isRunning;
    /** Used only by the timer thread. */
    private Optional<PolicyRef> latest = Optional.empty();

    /**
     * The rate limits.
     *
     * @param between the minimum time between any two results
     * @param betweenSame the minimum time between two results for the same policy
     */
    public record Pace(Duration between, Duration betweenSame) {

        /** Eight per second, so that together with delayed ones there are never more than ten per second. */
        public static final Pace USUAL = new Pace(Duration.ofMillis(125), Duration.ofSeconds(5));
    }

    /**
     * Creates a writer that starts with the first offer.
     *
     * @param onPublished receives each policy with a new result
     * @param isUnprocessed whether a published result has not been processed yet
     */
    public RateLimitedWriter(Pace pace, Consumer<PolicyRef> onPublished, Predicate<PolicyRef> isUnprocessed) {
        this.pace = pace;
        this.onPublished = onPublished;
        this.isUnprocessed = isUnprocessed;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("policy-affected").daemon().factory());
    }

    /** The published result for a policy. */
    public Optional<List<String>> affectedBy(PolicyRef policy) {
        lock.lock();
        try {
            return Optional.ofNullable(published.get(policy));
        } finally {
            lock.unlock();
        }
    }

    /** Takes over results that the statuses already contain, so that a restart changes nothing. */
    void assume(Map<PolicyRef, List<String>> results) {
        lock.lock();
        try {
            results.forEach(published::putIfAbsent);
        } finally {
            lock.unlock();
        }
    }

    /** Offers new results for all policies; a policy without a result is dropped. */
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
        boolean isDelayed = latest.filter(isUnprocessed).isPresent();
        Optional<PolicyRef> next;
        lock.lock();
        try {
            next = isDelayed
                    ? Optional.empty()
                    : waiting.stream().filter(this::isPublishable).findFirst();
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
        if (next.isPresent()) {
            latest = next;
            onPublished.accept(next.get());
        }
    }

    private boolean isPublishable(PolicyRef policy) {
        var last = publishedAt.get(policy);
        return last == null || System.nanoTime() - last >= pace.betweenSame().toNanos();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
