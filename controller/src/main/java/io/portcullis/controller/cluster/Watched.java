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
 * All objects of one kind that we may see, by watch. Reading costs nothing and may lag behind the cluster by moments;
 * writes therefore carry the version they were decided on.
 */
public final class Watched<T extends HasMetadata> implements AutoCloseable {

    private final SharedIndexInformer<T> informer;

    public Watched(SharedIndexInformer<T> informer) {
        this.informer = informer;
    }

    public List<T> all() {
        return informer.getStore().list();
    }

    /** An object without namespace has an empty one. */
    public Optional<T> get(String namespace, String name) {
        return Optional.ofNullable(informer.getStore().getByKey(namespace.isEmpty() ? name : namespace + "/" + name));
    }

    /** Finds objects by something in them; to be named before {@link #start}. */
    public Function<String, List<T>> indexedBy(String index, Function<T, List<String>> values) {
        informer.addIndexers(Map.of(index, values));
        return value -> informer.getIndexer().byIndex(index, value);
    }

    /** Calls with the object before and after each change; one of them is null when it came or went. */
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

    /** Calls with each object that is no more, also when another one has taken its name while nobody could watch. */
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

    /** Lists and goes on watching; done when the first list is here. */
    public void start() {
        begin().join();
    }

    /** The same without waiting. */
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
