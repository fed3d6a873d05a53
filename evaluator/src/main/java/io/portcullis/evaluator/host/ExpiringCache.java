package io.portcullis.evaluator.host;

import io.portcullis.api.time.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A cache of results with expiry. At the limits it evicts the oldest entry first; it does not store an entry that
 * exceeds the limits alone. The lock is never held during a fetch.
 */
final class ExpiringCache<K> {

    private final InstantSource clock;
    private final int maxEntries;
    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<K, Entry> entries = new LinkedHashMap<>();
    private long bytes;

    ExpiringCache(InstantSource clock, int maxEntries, long maxBytes) {
        this.clock = clock;
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    Optional<HostResult> get(K key) {
        lock.lock();
        try {
            var entry = entries.get(key);
            if (entry == null) {
                return Optional.empty();
            }
            if (entry.hasExpired(clock.instant())) {
                remove(key);
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
            remove(key);
            var entry = new Entry(result, Pause.of(clock.instant(), lifetime));
            if (entry.bytes() <= maxBytes) {
                makeRoomFor(entry);
                entries.put(key, entry);
                bytes += entry.bytes();
            }
        } finally {
            lock.unlock();
        }
    }

    private void makeRoomFor(Entry entry) {
        if (isFullFor(entry)) {
            var now = clock.instant();
            entries.values().removeIf(old -> old.hasExpired(now));
            bytes = entries.values().stream().mapToLong(Entry::bytes).sum();
        }
        while (isFullFor(entry)) {
            bytes -= entries.pollFirstEntry().getValue().bytes();
        }
    }

    private boolean isFullFor(Entry entry) {
        return !entries.isEmpty() && (entries.size() >= maxEntries || bytes + entry.bytes() > maxBytes);
    }

    private void remove(K key) {
        var old = entries.remove(key);
        if (old != null) {
            bytes -= old.bytes();
        }
    }

    private record Entry(HostResult result, Pause expiry) {

        boolean hasExpired(Instant now) {
            return expiry.isOver(now);
        }

        long bytes() {
            return switch (result) {
                case HostResult.Success(var answer) -> answer.length;
                case HostResult.Failure(var message) -> message.length();
            };
        }
    }
}
