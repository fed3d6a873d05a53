package io.portcullis.server.preparation.quarantine;

import io.portcullis.api.time.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Modules whose preparation failed. The server does not prepare them again before a backoff has passed, which grows with
 * each failure. A new engine, new limits or an operator release a module. Thread-safe.
 */
public final class Quarantine {

    static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
    static final Duration MAX_PAUSE = Duration.ofHours(1);
    static final int MAX_ENTRIES = 256;
    private static final int MAX_MESSAGE = 512;

    /**
     * One module.
     *
     * @param digest the SHA-256 digest, lower-case hexadecimal
     * @param circumstances the engine and the limits with which the preparation failed
     */
    public record Entry(String digest, String circumstances, int failures, Instant until, String message) {

        public Entry {
            message = message.substring(0, Math.min(message.length(), MAX_MESSAGE));
        }
    }

    /** Stores entries across restarts. An operator may remove entries from it. */
    interface Store {

        List<Entry> read();

        /** @return whether {@link #read} returns these entries from now on */
        boolean write(Collection<Entry> entries);
    }

    private final String circumstances;
    private final InstantSource clock;
    private final Store store;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Entry> entries = new HashMap<>();
    private boolean isStored;

    /**
     * @param circumstances the engine and the limits of this process
     * @param store contains the entries of an earlier process, and receives all entries after each change
     */
    public Quarantine(String circumstances, InstantSource clock, Store store) {
        this.circumstances = circumstances;
        this.clock = clock;
        this.store = store;
        store.read().stream()
                .filter(entry -> entry.circumstances().equals(circumstances))
                // If the clock was set back, an entry must not block a module for years.
                .filter(entry -> !entry.until().isAfter(clock.instant().plus(MAX_PAUSE)))
                .limit(MAX_ENTRIES)
                .forEach(entry -> entries.put(entry.digest(), entry));
        isStored = !entries.isEmpty();
    }

    /** Returns the entry that blocks the preparation of this module now. */
    public Optional<Entry> find(String digest) {
        lock.lock();
        try {
            dropRemoved();
            return Optional.ofNullable(entries.get(digest)).filter(this::isHeld);
        } finally {
            lock.unlock();
        }
    }

    /** Whether this module is in quarantine now. */
    public boolean holds(String digest) {
        return find(digest).isPresent();
    }

    /** Drops entries that an operator removed from the store. */
    private void dropRemoved() {
        if (isStored && !entries.isEmpty()) {
            var stored = store.read().stream().map(Entry::digest).collect(Collectors.toSet());
            entries.keySet().retainAll(stored);
        }
    }

    private boolean isHeld(Entry entry) {
        var from = entry.until().minus(pause(entry.failures()));
        return !new Pause(from, entry.until()).isOver(clock.instant());
    }

    /** Quarantines a module. Each failure doubles the time, up to an hour. */
    public Entry add(String digest, String message) {
        lock.lock();
        try {
            var failures = Optional.ofNullable(entries.get(digest))
                            .map(Entry::failures)
                            .orElse(0)
                    + 1;
            var entry =
                    new Entry(digest, circumstances, failures, clock.instant().plus(pause(failures)), message);
            entries.put(digest, entry);
            if (entries.size() > MAX_ENTRIES) {
                entries.values().stream()
                        .min(Comparator.comparing(Entry::until))
                        .ifPresent(first -> entries.remove(first.digest()));
            }
            isStored = store.write(List.copyOf(entries.values()));
            return entry;
        } finally {
            lock.unlock();
        }
    }

    static Duration pause(int failures) {
        var doubled = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, 10));
        return doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
    }

    /**
     * Removes a module from the quarantine, after its preparation succeeded or because an operator releases it.
     *
     * @return whether the module had an entry
     */
    public boolean release(String digest) {
        lock.lock();
        try {
            var isRemoved = entries.remove(digest) != null;
            if (isRemoved) {
                isStored = store.write(List.copyOf(entries.values()));
            }
            return isRemoved;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the modules that are in quarantine now; the module that is due first comes first. */
    public List<Entry> held() {
        lock.lock();
        try {
            dropRemoved();
            return entries.values().stream()
                    .filter(this::isHeld)
                    .sorted(Comparator.comparing(Entry::until).thenComparing(Entry::digest))
                    .toList();
        } finally {
            lock.unlock();
        }
    }
}
