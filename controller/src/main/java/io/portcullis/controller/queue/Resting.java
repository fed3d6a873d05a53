package io.portcullis.controller.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * A reconciler that rests after every call as many times as long as the call took: however much happens, it takes no more
 * than its share of the machine, and what is quick stays prompt. Thread-safe.
 *
 * @param longest that it rests
 * @param nanos what time it is, in nanoseconds
 */
public record Resting<K>(
        Reconciler<K> reconciler, int times, Duration longest, LongSupplier nanos, Map<K, Long> restsUntil)
        implements Reconciler<K> {

    public Resting(Reconciler<K> reconciler, int times, Duration longest, LongSupplier nanos) {
        this(reconciler, times, longest, nanos, new ConcurrentHashMap<>());
    }

    @Override
    public Optional<Duration> reconcile(K key) throws Exception {
        long start = nanos.getAsLong();
        var until = restsUntil.get(key);
        if (until != null && start - until < 0) {
            return Optional.of(Duration.ofNanos(until - start));
        }
        var next = reconciler.reconcile(key);
        long end = nanos.getAsLong();
        if (next.isPresent()) {
            restsUntil.put(key, end + Math.min((end - start) * times, longest.toNanos()));
        } else {
            restsUntil.remove(key);
        }
        return next;
    }
}
