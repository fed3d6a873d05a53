package io.portcullis.testkit.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;

/**
 * One cluster for all test classes of a run, also for those that run at the same time. Whoever uses it holds a permit; who
 * must replace it by a larger one waits until all permits are back. Between JVMs a lock on a file does the same.
 */
final class SharedCluster implements AutoCloseable {

    private static final int PERMITS = Integer.MAX_VALUE;

    private final LocalCluster cluster;
    private final RunDirectory run;
    private final Semaphore users = new Semaphore(PERMITS, true);
    private final FileChannel lockFile;
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
    synchronized LocalCluster enter(Level level, int nodes) {
        if (!cluster.has(level, nodes)) {
            users.acquireUninterruptibly(PERMITS);
            try (var alone = lockFile.lock()) {
                cluster.up(level, nodes);
                started = alone.isValid();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot lock the run directory " + run.path(), e);
            } finally {
                users.release(PERMITS);
            }
        }
        users.acquireUninterruptibly();
        return cluster;
    }

    void leave() {
        users.release();
    }

    /** Stops the cluster if this JVM started it in a directory of its own. */
    @Override
    public void close() throws IOException {
        try (lockFile) {
            if (started && run.ours()) {
                cluster.down();
            }
        }
    }
}
