package io.portcullis.controller.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A watch cache of one kind. Reads are cheap and may lag slightly behind the cluster. Writes therefore carry the
 * resourceVersion that the decision was based on.
 */
public final class Watched<T extends HasMetadata> implements AutoCloseable {

    private final SharedIndexInformer<T> informer;

    public Watched(SharedIndexInformer<T> informer) {
        this.informer = informer;
    }

    public List<T> all() {
        return informer.getStore().list();
    }

    /** Pass an empty namespace for a cluster-wide object. */
    public Optional<T> get(String namespace, String name) {
        return Optional.ofNullable(informer.getStore().getByKey(namespace.isEmpty() ? name : namespace + "/" + name));
    }

    /** Adds an index over values of the objects. Call before {@link #start}. */
    public Function<String, List<T>> indexedBy(String index, Function<T, List<String>> values) {
        informer.addIndexers(Map.of(index, values));
        return value -> informer.getIndexer().byIndex(index, value);
    }

    /**
     * Calls the listener with the object before and after each change; one of them is null when the object was created
     * or deleted.
     */
    public void onChange(BiConsumer<@Nullable T, @Nullable T> listener) {
        informer.addEventHandler(new ResourceEventHandler<T>() {
            @Override
            public void onAdd(T added) {
                listener.accept(null, added);
            }

            @Override
            public void onUpdate(T before, T after) {
                if (!before.getMetadata()
                        .getResourceVersion()
                        .equals(after.getMetadata().getResourceVersion())) {
                    listener.accept(before, after);
                }
            }

            @Override
            public void onDelete(T gone, boolean missed) {
                listener.accept(gone, null);
            }
        });
    }

    /**
     * Calls the listener with each deleted object, also when another object took its name while the watch was
     * disconnected.
     */
    public void onGone(Consumer<T> listener) {
        onChange((before, after) -> {
            if (before != null
                    && (after == null
                            || !before.getMetadata()
                                    .getUid()
                                    .equals(after.getMetadata().getUid()))) {
                listener.accept(before);
            }
        });
    }

    /** Lists and watches; returns when the initial list is complete. */
    public void start() {
        begin().join();
    }

    /** Starts without waiting for the initial list. */
    CompletableFuture<Void> begin() {
        return informer.start().toCompletableFuture();
    }

    public boolean hasSynced() {
        return informer.hasSynced();
    }

    @Override
    public void close() {
        informer.stop();
    }
}
