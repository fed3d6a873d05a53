package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.CommandException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Waits until a file under some directories changes. */
final class DirectoryWatch implements AutoCloseable {

    private static final WatchEvent.Kind<?>[] CHANGES = {
        StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_DELETE
    };

    /** The quiet period after a change, because editors write a file in several steps. */
    private static final int QUIET_MILLISECONDS = 50;

    private final WatchService service;
    private final Set<Path> ownFiles;

    /**
     * @param roots directories, watched recursively, or files, watched with their siblings
     * @param ownFiles files that this process writes; their changes are ignored
     */
    DirectoryWatch(List<Path> roots, List<Path> ownFiles) {
        try {
            this.ownFiles = ownFiles.stream().map(DirectoryWatch::real).collect(Collectors.toUnmodifiableSet());
            service = FileSystems.getDefault().newWatchService();
            for (var root : roots) {
                watch(Files.isDirectory(root) ? root : root.resolveSibling("").toAbsolutePath());
            }
        } catch (IOException e) {
            throw new CommandException("cannot watch for changes", e);
        }
    }

    private void watch(Path top) throws IOException {
        try (var directories = Files.walk(top)) {
            for (var directory : directories.filter(Files::isDirectory).toList()) {
                directory.register(service, CHANGES);
            }
        }
    }

    /** Returns one canonical path per file, independent of symbolic links to its directory. The file need not exist yet. */
    private static Path real(Path file) {
        var path = file.toAbsolutePath().normalize();
        var directory = path.getParent();
        try {
            return directory == null ? path : directory.toRealPath().resolve(path.getFileName());
        } catch (IOException _) {
            return path;
        }
    }

    /** @return false when the wait was interrupted */
    boolean awaitChange() {
        try {
            var changed = false;
            while (!changed) {
                changed = takeEvents(service.take());
            }
            for (var key = pollInQuietPeriod(); key != null; key = pollInQuietPeriod()) {
                takeEvents(key);
            }
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private @Nullable WatchKey pollInQuietPeriod() throws InterruptedException {
        return service.poll(QUIET_MILLISECONDS, TimeUnit.MILLISECONDS);
    }

    /** @return whether another process made any of the changes */
    private boolean takeEvents(WatchKey key) {
        var changed = false;
        for (var event : key.pollEvents()) {
            changed |= !(key.watchable() instanceof Path directory)
                    || !(event.context() instanceof Path name)
                    || isExternalChange(directory.resolve(name), event.kind());
        }
        key.reset();
        return changed;
    }

    private boolean isExternalChange(Path file, WatchEvent.Kind<?> kind) {
        if (kind.equals(StandardWatchEventKinds.ENTRY_CREATE) && Files.isDirectory(file)) {
            watchNew(file);
        }
        return !ownFiles.contains(real(file));
    }

    private void watchNew(Path directory) {
        try {
            watch(directory);
        } catch (IOException e) {
            throw new CommandException("cannot watch for changes", e);
        }
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            throw new CommandException("cannot stop watching", e);
        }
    }
}
