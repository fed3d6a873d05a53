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
 * One cluster for all test classes of a run, also for those that run at the same time. Who uses it holds a permit; who must
 * replace it by a larger one waits until all permits are back. Between JVMs a lock on a file, shared or exclusive, does
 * the same. Safe for use by many threads.
 */
final class SharedCluster implements AutoCloseable {

    private static final int PERMITS = Integer.MAX_VALUE;

    private final LocalCluster cluster;
    private final RunDirectory run;
    private final FileChannel lockFile;
    private final Semaphore users = new Semaphore(PERMITS, true);

    /** Guards the two fields below, and that only one thread at a time looks for a cluster. */
    private final ReentrantLock entrance = new ReentrantLock();

    private @Nullable FileLock share;
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

    /** Makes sure that the cluster has this much, and keeps it from being replaced until {@link #leave()}. */
    LocalCluster enter(Level level, int nodes) {
        entrance.lock();
        try {
            takeShare();
            while (!cluster.has(level, nodes)) {
                replace(level, nodes);
                takeShare();
            }
            users.acquireUninterruptibly();
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lock the run directory " + run.path(), e);
        } finally {
            entrance.unlock();
        }
    }

    void leave() {
        users.release();
    }

    private void replace(Level level, int nodes) throws IOException {
        users.acquireUninterruptibly(PERMITS);
        try {
            giveShareBack();
            try (var alone = lockFile.lock()) {
                cluster.up(level, nodes);
                started = alone.isValid();
            }
        } finally {
            users.release(PERMITS);
        }
    }

    private void takeShare() throws IOException {
        if (share == null) {
            share = lockFile.lock(0, Long.MAX_VALUE, true);
        }
    }

    private void giveShareBack() throws IOException {
        if (share != null) {
            share.release();
            share = null;
        }
    }

    /** Stops the cluster if this JVM started it in a directory of its own and no other JVM uses it. */
    @Override
    public void close() throws IOException {
        try (lockFile) {
            giveShareBack();
            if (started && run.ours() && lockFile.tryLock() != null) {
                cluster.down();
            }
        }
    }
}
