package io.portcullis.wasm.endive;

import io.portcullis.wasm.Deadline;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts guests at their deadline: compiled code checks the interrupt flag in every loop and call. An interrupt
 * for a guest never affects later work of its thread.
 */
final class Watchdog implements AutoCloseable {

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("wasm-watchdog").factory());

    Watchdog() {
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Watches the calling thread until the result is closed on the same thread. */
    Watch watch(Deadline deadline) {
        var watch = new Watch(Thread.currentThread());
        if (!deadline.isNone()) {
            watch.alarm = timer.schedule(watch::ring, deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
        }
        return watch;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** One run of a guest. The lock orders the interrupt and the end of the run. */
    static final class Watch implements AutoCloseable {
        private final Thread guest;
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable ScheduledFuture<?> alarm;
        private boolean over;
        private boolean rang;

        private Watch(Thread guest) {
            this.guest = guest;
        }

        private void ring() {
            lock.lock();
            try {
                if (!over) {
                    rang = true;
                    guest.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            if (alarm == null) {
                return;
            }
            alarm.cancel(false);
            lock.lock();
            try {
                over = true;
                if (rang) {
                    Thread.interrupted();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
