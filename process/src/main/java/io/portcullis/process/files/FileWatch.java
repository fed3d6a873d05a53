package io.portcullis.process.files;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls back when one of several files may have changed. Watches directories, not files: Kubernetes swaps the symbolic
 * link {@code ..data} beside them, editors replace them. Where notifications are missing (network volumes), the poll
 * finds the change. The callback runs on the watch's own thread, at least once per poll interval, and must itself find
 * out whether the content differs.
 */
public final class FileWatch implements AutoCloseable {

    /** The same interval as controller-runtime's certwatcher. */
    public static final Duration POLL = Duration.ofSeconds(10);

    /** How long to wait for further events, because a write usually causes several. */
    private static final Duration SETTLE = Duration.ofMillis(50);

    private static final Logger log = LoggerFactory.getLogger(FileWatch.class);

    private final WatchService service;
    private final Thread thread;

    private FileWatch(WatchService service, Thread thread) {
        this.service = service;
        this.thread = thread;
    }

    public static FileWatch start(String name, List<Path> files, Duration poll, Runnable changed) {
        try {
            var service = files.getFirst().toAbsolutePath().getFileSystem().newWatchService();
            var thread = Thread.ofPlatform()
                    .name("watch-" + name)
                    .daemon()
                    .unstarted(() -> run(service, files, poll, changed));
            var watch = new FileWatch(service, thread);
            register(service, files);
            thread.start();
            return watch;
        } catch (IOException e) {
            throw new IllegalStateException("cannot watch " + files + ": " + e.getMessage(), e);
        }
    }

    private static void run(WatchService service, List<Path> files, Duration poll, Runnable changed) {
        try {
            while (true) {
                var key = service.poll(poll.toMillis(), TimeUnit.MILLISECONDS);
                while (key != null) {
                    key.pollEvents();
                    key.reset();
                    key = service.poll(SETTLE.toMillis(), TimeUnit.MILLISECONDS);
                }
                register(service, files);
                changed.run();
            }
        } catch (ClosedWatchServiceException e) {
            log.atDebug().addKeyValue("files", files).log("watch ended");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Registers the directories. Runs after every event, because a swapped link leads into another directory. */
    private static void register(WatchService service, List<Path> files) {
        for (var directory : directories(files)) {
            try {
                directory.register(
                        service,
                        StandardWatchEventKinds.ENTRY_CREATE,
                        StandardWatchEventKinds.ENTRY_MODIFY,
                        StandardWatchEventKinds.ENTRY_DELETE);
            } catch (IOException e) {
                log.atDebug()
                        .addKeyValue("directory", directory)
                        .addKeyValue("error", e)
                        .log("polling only");
            }
        }
    }

    private static Set<Path> directories(List<Path> files) {
        var directories = new HashSet<Path>();
        for (var file : files) {
            var absolute = file.toAbsolutePath();
            addDirectory(directories, absolute.getParent());
            try {
                addDirectory(directories, absolute.toRealPath().getParent());
            } catch (IOException e) {
                log.atTrace().addKeyValue("file", file).log("file is not there yet");
            }
        }
        return directories;
    }

    private static void addDirectory(Set<Path> directories, @Nullable Path directory) {
        if (directory != null && Files.isDirectory(directory)) {
            directories.add(directory);
        }
    }

    @Override
    public void close() {
        try {
            service.close();
            thread.join(Duration.ofSeconds(5));
        } catch (IOException e) {
            log.atDebug().addKeyValue("error", e).log("watch did not close");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
