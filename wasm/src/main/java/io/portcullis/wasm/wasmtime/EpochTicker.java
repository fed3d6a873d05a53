package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.Deadline;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Advances the epoch of the engines every 10 ms, which interrupts endless guests. Stops ticking when no guest has run for
 * a second, until the next call wakes it. An idle server thus does not wake up a hundred times a second.
 *
 * <p>Ticks only prompt a check of the clock and of the guest's memory: whether a deadline has passed is always decided by {@link Deadline}.
 */
final class EpochTicker {

    private static final long TICK_NANOS = Duration.ofMillis(10).toNanos();
    private static final int IDLE_TICKS = 100;
    /** A number of ticks that is never reached. */
    static final long NEVER = Long.MAX_VALUE / 2;

    private final Wasmtime wasmtime;
    private final List<MemorySegment> engines;
    private final AtomicInteger running = new AtomicInteger();
    private final Thread thread;
    private volatile boolean asleep;
    private volatile boolean stopped;

    EpochTicker(Wasmtime wasmtime, List<MemorySegment> engines) {
        this.wasmtime = wasmtime;
        this.engines = List.copyOf(engines);
        this.thread = Thread.ofPlatform().daemon().name("wasm-epoch").unstarted(this::tick);
    }

    void start() {
        thread.start();
    }

    /** Blocks until the last tick has ended, so that the engines may be deleted. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    void guestStarts() {
        running.incrementAndGet();
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    void guestEnds() {
        running.decrementAndGet();
    }

    private void tick() {
        var idle = 0;
        var next = System.nanoTime() + TICK_NANOS;
        while (!stopped) {
            var left = next - System.nanoTime();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
                continue;
            }
            next += TICK_NANOS;
            engines.forEach(wasmtime::incrementEpoch);
            idle = running.get() == 0 ? idle + 1 : 0;
            if (idle >= IDLE_TICKS) {
                sleepUntilGuestStarts();
                idle = 0;
                next = System.nanoTime() + TICK_NANOS;
            }
        }
    }

    private void sleepUntilGuestStarts() {
        asleep = true;
        while (running.get() == 0 && !stopped) {
            LockSupport.park(this);
        }
        asleep = false;
    }
}
