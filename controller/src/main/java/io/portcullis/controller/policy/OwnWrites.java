package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.portcullis.controller.cluster.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stores our own writes until the watches deliver them. Without this cache, a second pass right after a write would
 * decide on stale objects. An entry is dropped as soon as the watch has caught up. Thread-safe.
 */
final class OwnWrites {

    /** After this time the watch wins: another client removed the object before we recorded the write. */
    private static final Duration MAX_WATCH_LAG = Duration.ofSeconds(10);

    private final Map<Key, Written> written = new ConcurrentHashMap<>();

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

    /** Drops entries that this watch has delivered. */
    <T extends HasMetadata> void follow(Watched<T> watched) {
        watched.onChange((before, after) -> {
            if (after == null) {
                dropDeleted(Objects.requireNonNull(before));
            } else {
                newest(HasMetadata.class, Key.of(after), after);
            }
        });
    }

    private void dropDeleted(HasMetadata gone) {
        written.computeIfPresent(
                Key.of(gone),
                (_, entry) -> entry.uid().equals(gone.getMetadata().getUid()) ? null : entry);
    }

    void stored(HasMetadata object) {
        written.put(Key.of(object), new Written.Stored(object, System.nanoTime()));
    }

    void deleted(HasMetadata object) {
        written.put(Key.of(object), new Written.Deleted(object.getMetadata().getUid(), System.nanoTime()));
    }

    /** The object from the watch, or our own write if that is newer. */
    <T extends HasMetadata> Optional<T> newest(
            Class<T> type, String kind, String namespace, String name, Optional<? extends T> watched) {
        return newest(type, new Key(kind, namespace, name), watched.orElse(null));
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

    private static boolean isOutdated(Written entry, @Nullable HasMetadata watched) {
        if (System.nanoTime() - entry.atNanos() > MAX_WATCH_LAG.toNanos()) {
            return true;
        }
        return switch (entry) {
            case Written.Stored stored -> watched != null && version(watched) >= version(stored.object());
            case Written.Deleted gone ->
                watched == null || !gone.uid().equals(watched.getMetadata().getUid());
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
    <T extends HasMetadata> List<T> newest(Class<T> type, List<? extends T> watched, Predicate<T> belongs) {
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
