package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.CommandException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchService;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Waits until a file under some directories changes. */
final class DirectoryWatch implements AutoCloseable {

    private static final List<WatchEvent.Kind<Path>> CHANGES = List.of(
            StandardWatchEventKinds.ENTRY_CREATE,
            StandardWatchEventKinds.ENTRY_MODIFY,
            StandardWatchEventKinds.ENTRY_DELETE);

    /** Editors write a file in several steps. */
    private static final int QUIET_MILLISECONDS = 50;

    private final WatchService service;

    /** @param roots directories, watched with all below them, or files, watched with their neighbours */
    DirectoryWatch(List<Path> roots) {
        try {
            service = FileSystems.getDefault().newWatchService();
            for (var root : roots) {
                var top =
                        Files.isDirectory(root) ? root : root.resolveSibling("").toAbsolutePath();
                try (var directories = Files.walk(top)) {
                    for (var directory : directories.filter(Files::isDirectory).toList()) {
                        directory.register(service, CHANGES.toArray(new WatchEvent.Kind<?>[0]));
                    }
                }
            }
        } catch (IOException e) {
            throw new CommandException("cannot watch for changes", e);
        }
    }

    /** @return false when the wait was interrupted */
    boolean awaitChange() {
        try {
            var key = service.take();
            while (key != null) {
                key.pollEvents();
                key.reset();
                key = service.poll(QUIET_MILLISECONDS, TimeUnit.MILLISECONDS);
            }
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
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
