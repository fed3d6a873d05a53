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
 * Lets results out one by one, so that one mutating policy among thousands causes no storm of writes: so many per second
 * altogether, and each policy only now and then. While nobody has read the last one, none is let out: readers that were held
 * up would write many at once. What comes in meanwhile replaces what was waiting. Thread-safe.
 */
public final class RateLimitedWriter implements AutoCloseable {

    private final Pace pace;
    private final Consumer<PolicyRef> onNews;
    private final Predicate<PolicyRef> isUnread;
    private final ScheduledExecutorService timer;
    private final ReentrantLock lock = new ReentrantLock();
    // All below are guarded by the lock.
    private Map<PolicyRef, List<String>> wanted = Map.of();
    private final Map<PolicyRef, List<String>> published = new HashMap<>();
    private final Map<PolicyRef, Long> publishedAt = new HashMap<>();
    private final Set<PolicyRef> waiting = new LinkedHashSet<>();
    private boolean isRunning;
    /** Of the timer's thread alone. */
    private Optional<PolicyRef> latest = Optional.empty();

    /**
     * How fast.
     *
     * @param between any two
     * @param betweenSame two for the same policy
     */
    public record Pace(Duration between, Duration betweenSame) {

        /** Eight a second, so that with those that were held up for a moment there are never more than ten. */
        public static final Pace USUAL = new Pace(Duration.ofMillis(125), Duration.ofSeconds(5));
    }

    /**
     * Begins when something is offered.
     *
     * @param onNews told of each policy about which there is something new
     * @param isUnread whether what it was told about a policy has not been looked at yet
     */
    public RateLimitedWriter(Pace pace, Consumer<PolicyRef> onNews, Predicate<PolicyRef> isUnread) {
        this.pace = pace;
        this.onNews = onNews;
        this.isUnread = isUnread;
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
        boolean isHeldUp = latest.filter(isUnread).isPresent();
        Optional<PolicyRef> next;
        lock.lock();
        try {
            next = isHeldUp
                    ? Optional.empty()
                    : waiting.stream().filter(this::mayGo).findFirst();
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
            onNews.accept(next.get());
        }
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
