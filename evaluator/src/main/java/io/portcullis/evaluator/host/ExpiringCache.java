package io.portcullis.evaluator.host;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** Results until they expire; beyond the limit the oldest goes first. The lock is never held while something is fetched. */
final class ExpiringCache<K> {

    private final InstantSource clock;
    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<K, Entry> entries = new LinkedHashMap<>();

    ExpiringCache(InstantSource clock, int limit) {
        this.clock = clock;
        this.limit = limit;
    }

    Optional<HostResult> get(K key) {
        lock.lock();
        try {
            var entry = entries.get(key);
            if (entry == null) {
                return Optional.empty();
            }
            if (!clock.instant().isBefore(entry.expires)) {
                entries.remove(key);
                return Optional.empty();
            }
            return Optional.of(entry.result);
        } finally {
            lock.unlock();
        }
    }

    void put(K key, HostResult result, Duration lifetime) {
        lock.lock();
        try {
            var now = clock.instant();
            entries.remove(key);
            if (entries.size() >= limit) {
                entries.values().removeIf(entry -> !now.isBefore(entry.expires));
            }
            if (entries.size() >= limit) {
                entries.pollFirstEntry();
            }
            entries.put(key, new Entry(result, now.plus(lifetime)));
        } finally {
            lock.unlock();
        }
    }

    private record Entry(HostResult result, Instant expires) {}
}
