package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Locks a directory for one writer, among the threads of this process and among processes. A cached file and its
 * signature are written by two renames. A reader that finds only one of them waits for this lock and reads again.
 */
final class DirectoryLock {

    private static final String NAME = ".lock";
    private static final int ATTEMPTS = 3;

    private final ConcurrentMap<Path, ReentrantLock> threads = new ConcurrentHashMap<>();

    /** Runs the action while holding the lock. Creates the directory if it is missing. */
    <T> T hold(Path directory, Supplier<T> action) {
        var threadLock = threads.computeIfAbsent(directory, _ -> new ReentrantLock());
        threadLock.lock();
        try (var channel = open(directory);
                var fileLock = channel.lock()) {
            if (!fileLock.isValid()) {
                throw new IOException("the lock was lost");
            }
            return action.get();
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot lock " + directory + ": " + e, e);
        } finally {
            threadLock.unlock();
        }
    }

    private static FileChannel open(Path directory) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                Files.createDirectories(directory);
                return FileChannel.open(
                        directory.resolve(NAME),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS);
            } catch (NoSuchFileException e) {
                // Garbage collection removed the empty directory.
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    static boolean isLock(Path file) {
        return NAME.equals(String.valueOf(file.getFileName()));
    }

    static void remove(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(NAME));
    }
}
