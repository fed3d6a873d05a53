package io.portcullis.evaluator.host;

import io.portcullis.api.lifecycle.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Results until they expire; beyond the limits the oldest goes first, and what alone is beyond them is not kept. The
 * lock is never held while something is fetched.
 */
final class ExpiringCache<K> {

    private final InstantSource clock;
    private final int mostEntries;
    private final long mostBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<K, Entry> entries = new LinkedHashMap<>();
    private long bytes;

    ExpiringCache(InstantSource clock, int mostEntries, long mostBytes) {
        this.clock = clock;
        this.mostEntries = mostEntries;
        this.mostBytes = mostBytes;
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
            if (entry.bytes() <= mostBytes) {
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
        return !entries.isEmpty() && (entries.size() >= mostEntries || bytes + entry.bytes() > mostBytes);
    }

    private void remove(K key) {
        var old = entries.remove(key);
        if (old != null) {
            bytes -= old.bytes();
        }
    }

    private record Entry(HostResult result, Pause life) {

        boolean hasExpired(Instant now) {
            return life.isOver(now);
        }

        long bytes() {
            return switch (result) {
                case HostResult.Success(var answer) -> answer.length;
                case HostResult.Failure(var message) -> message.length();
            };
        }
    }
}
