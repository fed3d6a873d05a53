package io.portcullis.server.preparation;

import io.portcullis.api.lifecycle.Pause;
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
 * Modules whose preparation failed and which are not prepared again before some time has passed, ever longer with each
 * failure. A changed engine or changed limits release a module, and so does an operator. Thread-safe.
 */
public final class Quarantine {

    static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
    static final Duration LONGEST_PAUSE = Duration.ofHours(1);
    static final int MAX_ENTRIES = 256;
    private static final int MAX_MESSAGE = 512;

    /**
     * One module.
     *
     * @param digest SHA-256, lower-case hexadecimal
     * @param circumstances engine and limits under which the preparation failed
     */
    public record Entry(String digest, String circumstances, int failures, Instant until, String message) {

        public Entry {
            message = message.substring(0, Math.min(message.length(), MAX_MESSAGE));
        }
    }

    /** Keeps entries between runs. An operator may remove entries from it. */
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
     * @param circumstances engine and limits of this process
     * @param store holds the entries of a process before this one and receives all entries after each change
     */
    Quarantine(String circumstances, InstantSource clock, Store store) {
        this.circumstances = circumstances;
        this.clock = clock;
        this.store = store;
        store.read().stream()
                .filter(entry -> entry.circumstances().equals(circumstances))
                // A clock that was set back must not lock a module out for years.
                .filter(entry -> !entry.until().isAfter(clock.instant().plus(LONGEST_PAUSE)))
                .limit(MAX_ENTRIES)
                .forEach(entry -> entries.put(entry.digest(), entry));
        isStored = !entries.isEmpty();
    }

    /** The entry that forbids to prepare this module now. */
    Optional<Entry> find(String digest) {
        lock.lock();
        try {
            dropRemoved();
            return Optional.ofNullable(entries.get(digest)).filter(this::isHeld);
        } finally {
            lock.unlock();
        }
    }

    /** Whether this module is not prepared now. */
    public boolean holds(String digest) {
        return find(digest).isPresent();
    }

    /** An entry that is no longer in the store was released by an operator. */
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

    /** Quarantines a module, for longer than the last time. */
    Entry add(String digest, String message) {
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
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    /**
     * Forgets a module, after its preparation succeeded or because an operator releases it.
     *
     * @return whether the module was known
     */
    public boolean release(String digest) {
        lock.lock();
        try {
            var isKnown = entries.remove(digest) != null;
            if (isKnown) {
                isStored = store.write(List.copyOf(entries.values()));
            }
            return isKnown;
        } finally {
            lock.unlock();
        }
    }

    /** The modules that are not prepared now, the next to be tried first. */
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
