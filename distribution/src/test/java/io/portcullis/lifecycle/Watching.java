package io.portcullis.lifecycle;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.function.Consumer;

/** Looks at every state of every object that a watch brings. */
record Watching<T>(Consumer<T> look) implements ResourceEventHandler<T> {

    @Override
    public void onAdd(T object) {
        look.accept(object);
    }

    @Override
    public void onUpdate(T before, T after) {
        look.accept(after);
    }

    @Override
    public void onDelete(T object, boolean unknown) {}
}
