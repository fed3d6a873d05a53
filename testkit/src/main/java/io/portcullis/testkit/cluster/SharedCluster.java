package io.portcullis.testkit.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One cluster for all test classes of a run, including classes that run at the same time. Each user holds a permit. A
 * thread that replaces the cluster by a larger one waits until all permits are returned. Between JVMs, a shared or
 * exclusive file lock does the same. Safe for use by many threads.
 */
final class SharedCluster implements AutoCloseable {

    private static final int PERMITS = Integer.MAX_VALUE;

    private final LocalCluster cluster;
    private final RunDirectory run;
    private final FileChannel lockFile;
    private final Semaphore users = new Semaphore(PERMITS, true);

    /** Guards the two fields below. Only one thread at a time checks or replaces the cluster. */
    private final ReentrantLock entryLock = new ReentrantLock();

    private @Nullable FileLock sharedLock;
    private boolean started;

    SharedCluster(LocalCluster cluster, RunDirectory run) {
        this.cluster = cluster;
        this.run = run;
        this.lockFile = open(run);
    }

    private static FileChannel open(RunDirectory run) {
        try {
            Files.createDirectories(run.path());
            return FileChannel.open(
                    run.path().resolve("users.lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use the run directory " + run.path(), e);
        }
    }

    /** Ensures that the cluster has this level and node count, and prevents its replacement until {@link #leave()}. */
    LocalCluster enter(Level level, int nodes) {
        entryLock.lock();
        try {
            acquireSharedLock();
            while (!cluster.has(level, nodes)) {
                replace(level, nodes);
                acquireSharedLock();
            }
            users.acquireUninterruptibly();
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lock the run directory " + run.path(), e);
        } finally {
            entryLock.unlock();
        }
    }

    void leave() {
        users.release();
    }

    private void replace(Level level, int nodes) throws IOException {
        users.acquireUninterruptibly(PERMITS);
        try {
            releaseSharedLock();
            try (var exclusiveLock = lockFile.lock()) {
                cluster.up(level, nodes);
                started = exclusiveLock.isValid();
            }
        } finally {
            users.release(PERMITS);
        }
    }

    private void acquireSharedLock() throws IOException {
        if (sharedLock == null) {
            sharedLock = lockFile.lock(0, Long.MAX_VALUE, true);
        }
    }

    private void releaseSharedLock() throws IOException {
        if (sharedLock != null) {
            sharedLock.release();
            sharedLock = null;
        }
    }

    /** Stops the cluster if this JVM started it in its own directory and no other JVM uses it. */
    @Override
    public void close() throws IOException {
        try (lockFile) {
            releaseSharedLock();
            if (started && run.ours() && lockFile.tryLock() != null) {
                cluster.down();
            }
        }
    }
}
