package io.portcullis.server.preparation.child;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts one child process before there is work for it, because starting a JVM takes longer than compiling a small module.
 * Kills the child if no work arrives for some time. Thread-safe.
 */
public final class StandbyProcess implements AutoCloseable {

    /** The time that a child waits for work. */
    public static final Duration IDLE = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(StandbyProcess.class);

    /** Starts a child. */
    @FunctionalInterface
    public interface Starter {
        PreparationProcess start() throws IOException;
    }

    private final Starter starter;
    private final Duration idle;
    private final ReentrantLock lock = new ReentrantLock();
    private final ScheduledExecutorService timer;
    private @Nullable PreparationProcess waiting;
    private @Nullable ScheduledFuture<?> expiry;
    private boolean closed;

    public StandbyProcess(Starter starter, Duration idle) {
        this.starter = starter;
        this.idle = idle;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("preparation-standby").daemon().factory());
    }

    /** Starts a child unless one is waiting, and restarts its idle timeout. */
    public void ensure() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (expiry != null) {
                expiry.cancel(false);
            }
            if (waiting == null || !waiting.isAlive()) {
                waiting = starter.start();
            }
            var current = waiting;
            expiry = timer.schedule(() -> expire(current), idle.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            log.atDebug().addKeyValue("error", e.toString()).log("cannot start a standby preparation process");
        } finally {
            lock.unlock();
        }
    }

    private void expire(PreparationProcess process) {
        lock.lock();
        try {
            if (waiting == process) {
                waiting = null;
                process.close();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the waiting child, or a new one.
     *
     * @throws IOException when no child can be started
     */
    public PreparationProcess take() throws IOException {
        lock.lock();
        try {
            if (closed) {
                throw new IOException("the server is stopping");
            }
            var taken = waiting;
            waiting = null;
            return taken != null && taken.isAlive() ? taken : starter.start();
        } finally {
            lock.unlock();
        }
    }

    public long usedBytes() {
        lock.lock();
        try {
            return waiting == null ? 0 : ChildMemory.of(waiting.pid()).orElse(0);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (waiting != null) {
                waiting.close();
                waiting = null;
            }
            timer.shutdownNow();
        } finally {
            lock.unlock();
        }
    }
}
