package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.runtime.ExecutableModule;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one executable module per digest for as long as a policy uses it. Thread-safe: modules with different digests
 * are created in parallel, each digest only once.
 */
final class SharedModules {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Slot> slots = new HashMap<>();

    /** @param factory compiles and links; called if the module is not loaded yet */
    ModuleReference acquire(String digest, Supplier<ExecutableModule> factory) {
        var slot = reserve(digest);
        try {
            return new ModuleReference(slot, slot.getOrCreate(factory));
        } catch (RuntimeException e) {
            release(slot);
            throw e;
        }
    }

    int size() {
        lock.lock();
        try {
            return slots.size();
        } finally {
            lock.unlock();
        }
    }

    private Slot reserve(String digest) {
        lock.lock();
        try {
            var slot = slots.computeIfAbsent(digest, Slot::new);
            slot.references++;
            return slot;
        } finally {
            lock.unlock();
        }
    }

    private void release(Slot slot) {
        lock.lock();
        try {
            if (--slot.references > 0) {
                return;
            }
            slots.remove(slot.digest);
        } finally {
            lock.unlock();
        }
        slot.close();
    }

    /** A counted reference to a module. The owner closes it exactly once. */
    final class ModuleReference implements AutoCloseable {
        private final Slot slot;
        private final ExecutableModule module;

        private ModuleReference(Slot slot, ExecutableModule module) {
            this.slot = slot;
            this.module = module;
        }

        ExecutableModule module() {
            return module;
        }

        @Override
        public void close() {
            release(slot);
        }
    }

    private static final class Slot {
        private final String digest;
        private final ReentrantLock creationLock = new ReentrantLock();
        private @Nullable ExecutableModule module;

        /** Guarded by {@link SharedModules#lock}. */
        private int references;

        Slot(String digest) {
            this.digest = digest;
        }

        ExecutableModule getOrCreate(Supplier<ExecutableModule> factory) {
            creationLock.lock();
            try {
                var created = module;
                if (created == null) {
                    created = factory.get();
                    module = created;
                }
                return created;
            } finally {
                creationLock.unlock();
            }
        }

        void close() {
            creationLock.lock();
            try {
                if (module != null) {
                    module.close();
                    module = null;
                }
            } finally {
                creationLock.unlock();
            }
        }
    }
}
