package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.runtime.ExecutableModule;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one executable module per digest while anybody uses it. Thread-safe: modules with different digests are made in
 * parallel, the same one only once.
 */
final class SharedModules {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Slot> slots = new HashMap<>();

    /** @param maker compiles and links; called when the module is not on the shelf */
    Loan take(String digest, Supplier<ExecutableModule> maker) {
        var slot = reserve(digest);
        try {
            return new Loan(slot, slot.moduleOrMake(maker));
        } catch (RuntimeException e) {
            giveBack(slot);
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
            slot.users++;
            return slot;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(Slot slot) {
        lock.lock();
        try {
            if (--slot.users > 0) {
                return;
            }
            slots.remove(slot.digest);
        } finally {
            lock.unlock();
        }
        slot.close();
    }

    /** The right to use a module until it is given back, once. */
    final class Loan implements AutoCloseable {
        private final Slot slot;
        private final ExecutableModule module;

        private Loan(Slot slot, ExecutableModule module) {
            this.slot = slot;
            this.module = module;
        }

        ExecutableModule module() {
            return module;
        }

        @Override
        public void close() {
            giveBack(slot);
        }
    }

    private static final class Slot {
        private final String digest;
        private final ReentrantLock making = new ReentrantLock();
        private @Nullable ExecutableModule module;

        /** Guarded by the shelf's lock. */
        private int users;

        Slot(String digest) {
            this.digest = digest;
        }

        ExecutableModule moduleOrMake(Supplier<ExecutableModule> maker) {
            making.lock();
            try {
                var made = module;
                if (made == null) {
                    made = maker.get();
                    module = made;
                }
                return made;
            } finally {
                making.unlock();
            }
        }

        void close() {
            making.lock();
            try {
                if (module != null) {
                    module.close();
                    module = null;
                }
            } finally {
                making.unlock();
            }
        }
    }
}
