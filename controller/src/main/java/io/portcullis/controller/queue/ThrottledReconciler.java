package io.portcullis.controller.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * A reconciler that pauses after every call for a multiple of the call's duration. It limits the CPU share of frequent
 * slow calls, while quick calls stay prompt. Thread-safe.
 *
 * @param longest the longest pause
 * @param nanos the current time, in nanoseconds
 */
public record ThrottledReconciler<K>(
        Reconciler<K> reconciler, int times, Duration longest, LongSupplier nanos, Map<K, Long> restsUntil)
        implements Reconciler<K> {

    public ThrottledReconciler(Reconciler<K> reconciler, int times, Duration longest, LongSupplier nanos) {
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
