package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Deletes unused files in one walk through a cache. Deletes links without following them. Ignores files that another
 * process deletes at the same time. Keeps files outside the directories of modules, such as the list of modules in quarantine.
 */
final class GarbageCollection {

    /** The name of a module's directory: the hexadecimal digits of its digest. */
    private static final Pattern MODULE = Pattern.compile("[0-9a-f]{64}");

    private final Path root;
    private final Set<String> directories;
    private final Set<String> optimized;
    private final Instant cutoff;
    private int removed;

    GarbageCollection(Path root, Set<String> digests, Set<String> fingerprints, Instant cutoff) {
        this.root = root;
        this.directories = digests.stream().map(Digest::hex).collect(Collectors.toUnmodifiableSet());
        this.optimized = fingerprints.stream()
                .map(fingerprint -> new CachedFile.Optimized(fingerprint).name())
                .collect(Collectors.toUnmodifiableSet());
        this.cutoff = cutoff;
    }

    int run() {
        if (!Files.isDirectory(root)) {
            return 0;
        }
        try {
            Files.walkFileTree(root, new Sweep());
            return removed;
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot clean up " + root + ": " + e.getMessage(), e);
        }
    }

    private boolean isGarbage(Path file) {
        var name = String.valueOf(file.getFileName());
        var directory = String.valueOf(file.resolveSibling(".").normalize().getFileName());
        if (!directories.contains(directory)) {
            return MODULE.matcher(directory).matches();
        }
        var content = name.endsWith(".sig") ? name.substring(0, name.length() - 4) : name;
        return CachedFile.Optimized.isName(content) ? !optimized.contains(content) : name.endsWith(".part");
    }

    private final class Sweep extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (!DirectoryLock.isLock(file)
                    && attributes.lastModifiedTime().toInstant().isBefore(cutoff)
                    && isGarbage(file)
                    && Files.deleteIfExists(file)) {
                removed++;
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            if (!directory.equals(root)) {
                removeIfEmpty(directory);
            }
            return FileVisitResult.CONTINUE;
        }

        private void removeIfEmpty(Path directory) throws IOException {
            try (var remaining = Files.list(directory)) {
                if (remaining.anyMatch(file -> !DirectoryLock.isLock(file))) {
                    return;
                }
            }
            try {
                DirectoryLock.remove(directory);
                Files.deleteIfExists(directory);
            } catch (DirectoryNotEmptyException e) {
                // Another writer uses the directory again.
            }
        }
    }
}
