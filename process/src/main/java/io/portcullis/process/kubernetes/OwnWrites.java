package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stores our own writes until the watches deliver them. Without this cache, a second pass right after a write would
 * decide on stale objects. An entry is dropped as soon as the watch has caught up. Thread-safe.
 */
public final class OwnWrites {

    /**
     * How long an object counts as written although the watch does not contain it, and as deleted although the watch
     * contains it. Longer than that means that the watch is right: another client deleted the object before we recorded
     * our write, or a finalizer delays the deletion.
     */
    private static final Duration MAX_WATCH_LAG = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private final Map<Key, Written> written = new ConcurrentHashMap<>();

    /** @param nanoTime as {@link System#nanoTime()} */
    public OwnWrites(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    private record Key(String kind, String namespace, String name) {

        static Key of(HasMetadata object) {
            return new Key(
                    object.getKind(),
                    Objects.requireNonNullElse(object.getMetadata().getNamespace(), ""),
                    object.getMetadata().getName());
        }
    }

    private sealed interface Written {

        String uid();

        long atNanos();

        record Stored(HasMetadata object, long atNanos) implements Written {

            @Override
            public String uid() {
                return object.getMetadata().getUid();
            }
        }

        record Deleted(String uid, long atNanos) implements Written {}
    }

    /** Drops our write if the watch delivered this version or a newer one. Call for each object that the watch delivers. */
    public void watched(HasMetadata object) {
        newest(HasMetadata.class, Key.of(object), object);
    }

    /** Drops our write to an object that the watch reports as deleted. */
    public void watchedDeletion(HasMetadata gone) {
        written.computeIfPresent(
                Key.of(gone),
                (_, entry) -> entry.uid().equals(gone.getMetadata().getUid()) ? null : entry);
    }

    /** Records an object as the API server returned it. Keeps an earlier recorded object that is newer. */
    public void stored(HasMetadata object) {
        var now = new Written.Stored(object, nanoTime.getAsLong());
        written.merge(
                Key.of(object),
                now,
                (before, _) -> before instanceof Written.Stored stored && version(stored.object()) > version(object)
                        ? before
                        : now);
    }

    /** Records that the API server accepted the deletion. */
    public void deleted(HasMetadata object) {
        written.put(Key.of(object), new Written.Deleted(object.getMetadata().getUid(), nanoTime.getAsLong()));
    }

    /** The object from the watch, or our own write if that is newer. */
    public <T extends HasMetadata> Optional<T> newest(
            Class<T> type, String kind, String namespace, String name, Optional<? extends T> watched) {
        return newest(type, new Key(kind, namespace, name), watched.orElse(null));
    }

    /** The object from the watch, or our own write if that is newer. Empty if we deleted the object. */
    public <T extends HasMetadata> Optional<T> newest(Class<T> type, T watched) {
        return newest(type, Key.of(watched), watched);
    }

    /** Our own write if that is newer than the given object, which need not be the watch's latest. Drops nothing. */
    public <T extends HasMetadata> T newerThan(Class<T> type, T known) {
        return written.get(Key.of(known)) instanceof Written.Stored stored && version(stored.object()) > version(known)
                ? type.cast(stored.object())
                : known;
    }

    private <T extends HasMetadata> Optional<T> newest(Class<T> type, Key key, @Nullable T watched) {
        var entry = written.get(key);
        if (entry == null) {
            return Optional.ofNullable(watched);
        }
        if (isOutdated(entry, watched)) {
            written.remove(key, entry);
            return Optional.ofNullable(watched);
        }
        return switch (entry) {
            case Written.Stored stored -> Optional.of(type.cast(stored.object()));
            case Written.Deleted _ -> Optional.empty();
        };
    }

    private boolean isOutdated(Written entry, @Nullable HasMetadata watched) {
        boolean isLate = nanoTime.getAsLong() - entry.atNanos() > MAX_WATCH_LAG.toNanos();
        return switch (entry) {
            case Written.Stored stored -> watched == null ? isLate : version(watched) >= version(stored.object());
            case Written.Deleted gone ->
                watched == null
                        || isLate
                        || !gone.uid().equals(watched.getMetadata().getUid());
        };
    }

    /**
     * The resourceVersion as a number. Kubernetes guarantees this order within one kind since 1.35 and followed it
     * before.
     */
    private static long version(HasMetadata object) {
        return Long.parseLong(object.getMetadata().getResourceVersion());
    }

    /** The same for several objects, including objects that the watch has not delivered yet. */
    public <T extends HasMetadata> List<T> newest(Class<T> type, List<? extends T> watched, Predicate<T> belongs) {
        var found = new ArrayList<T>();
        Set<Key> seen = new HashSet<>();
        for (T object : watched) {
            var key = Key.of(object);
            seen.add(key);
            newest(type, key, object).ifPresent(found::add);
        }
        written.forEach((key, entry) -> {
            if (entry instanceof Written.Stored stored
                    && type.isInstance(stored.object())
                    && !seen.contains(key)
                    && !isOutdated(stored, null)
                    && belongs.test(type.cast(stored.object()))) {
                found.add(type.cast(stored.object()));
            }
        });
        return found;
    }
}
