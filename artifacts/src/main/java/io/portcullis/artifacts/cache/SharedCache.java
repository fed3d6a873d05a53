package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores modules and their compiled form on a volume that other processes can write. A file that does not verify is
 * deleted, reported and never used. Several processes may read, write and clean up at the same time. Thread-safe.
 */
public final class SharedCache {

    private static final Logger log = LoggerFactory.getLogger(SharedCache.class);
    private static final String SIGNATURE_SUFFIX = ".sig";
    private static final long MAX_SIGNATURE_BYTES = 1 << 16;
    // Compiled code is larger than the module it comes from.
    private static final long MAX_FILE_BYTES = 1L << 30;

    /** Receives files that did not verify, to report them to the operator. */
    @FunctionalInterface
    public interface Alarm {
        void tampered(Path file, String why);
    }

    private final Path root;
    private final Supplier<SigningIdentity> signer;
    private final Supplier<CacheTrust> trust;
    private final Alarm alarm;
    private final Clock clock;
    private final DirectoryLock lock = new DirectoryLock();
    private final RecentChecks checks = new RecentChecks();

    /**
     * @param signer called for every write, so that a renewed certificate takes effect immediately
     * @param trust called for every read, so that a rotated CA takes effect immediately
     */
    public SharedCache(
            Path root, Supplier<SigningIdentity> signer, Supplier<CacheTrust> trust, Alarm alarm, Clock clock) {
        this.root = root.toAbsolutePath().normalize();
        this.signer = signer;
        this.trust = trust;
        this.alarm = alarm;
        this.clock = clock;
    }

    /** Reads and verifies a file, and returns the verified bytes. */
    public CacheLookup find(CacheKey key, CachedFile file) {
        var directory = key.directory(root);
        var path = directory.resolve(file.name());
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return new CacheLookup.Absent();
        }
        try {
            return new CacheLookup.Found(verified(key, file));
        } catch (GeneralSecurityException | IOException e) {
            // The writer may be between its two renames.
            return findUnderLock(key, file, directory);
        }
    }

    /**
     * Opens a file for a reader that checks the content itself. Does not verify the signature, because that needs the whole file in
     * memory. Empty if the file does not exist or a link leads out of the cache.
     */
    public Optional<FileChannel> open(CacheKey key, CachedFile file) throws IOException {
        var directory = key.directory(root);
        if (!isInside(directory)) {
            return Optional.empty();
        }
        try {
            return Optional.of(FileChannel.open(
                    directory.resolve(file.name()), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Reports whether the file and its signature exist. Does not verify them. */
    public boolean holds(CacheKey key, CachedFile file) {
        var path = key.directory(root).resolve(file.name());
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                && Files.exists(signatureOf(path), LinkOption.NOFOLLOW_LINKS);
    }

    /** Updates the modification time of a file that is in use, so that garbage collection keeps it. */
    public void touch(CacheKey key, CachedFile file) {
        var path = key.directory(root).resolve(file.name());
        var now = FileTime.from(clock.instant());
        for (var each : List.of(path, signatureOf(path))) {
            try {
                if (isInside(each.resolveSibling(".")) && Files.exists(each, LinkOption.NOFOLLOW_LINKS)) {
                    Files.getFileAttributeView(each, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .setTimes(now, null, null);
                }
            } catch (IOException e) {
                log.atDebug()
                        .addKeyValue("file", each)
                        .addKeyValue("error", e.toString())
                        .log("cannot update the modification time of a cached file");
            }
        }
    }

    private CacheLookup findUnderLock(CacheKey key, CachedFile file, Path directory) {
        try {
            return isInside(directory)
                    ? lock.hold(directory, () -> verifyOrReject(key, file))
                    : verifyOrReject(key, file);
        } catch (ArtifactException e) {
            // A read-only volume cannot be locked and has no writers.
            return verifyOrReject(key, file);
        }
    }

    private CacheLookup verifyOrReject(CacheKey key, CachedFile file) {
        var path = key.directory(root).resolve(file.name());
        try {
            return new CacheLookup.Found(verified(key, file));
        } catch (NoSuchFileException e) {
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                return new CacheLookup.Absent();
            }
            return reject(path, "it has no signature");
        } catch (GeneralSecurityException | IOException e) {
            return reject(path, String.valueOf(e.getMessage()));
        }
    }

    private CacheLookup reject(Path path, String why) {
        log.atWarn()
                .addKeyValue("file", path)
                .addKeyValue("error", why)
                .log("cached file does not verify, deleting it");
        try {
            if (isInside(path.resolveSibling("."))) {
                Files.deleteIfExists(path);
                Files.deleteIfExists(signatureOf(path));
            }
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", path)
                    .addKeyValue("error", e.toString())
                    .log("cannot delete a cached file");
        }
        alarm.tampered(path, why);
        return new CacheLookup.Rejected(why);
    }

    private byte[] verified(CacheKey key, CachedFile file) throws IOException, GeneralSecurityException {
        var path = key.directory(root).resolve(file.name());
        if (!isInside(path.resolveSibling("."))) {
            throw new GeneralSecurityException("a link leads out of the cache");
        }
        var signature = read(signatureOf(path), MAX_SIGNATURE_BYTES);
        var bytes = read(path, MAX_FILE_BYTES);
        checks.check(signature, new Statement(key, file, Digest.sha256(bytes)), trust.get(), clock.instant());
        return bytes;
    }

    private static byte[] read(Path file, long limit) throws IOException, GeneralSecurityException {
        try (var channel = Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            if (channel.size() > limit) {
                throw new GeneralSecurityException("it is larger than any file that the cache writes");
            }
            var buffer = ByteBuffer.allocate((int) channel.size());
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // Read until the buffer is full or the file ends early.
            }
            return buffer.array();
        }
    }

    /** Reports whether the directory is inside the cache after resolving links. */
    private boolean isInside(Path directory) {
        try {
            var expected = root.toRealPath().resolve(root.relativize(directory.normalize()));
            return directory.toRealPath().equals(expected);
        } catch (IOException e) {
            return false;
        }
    }

    private static Path signatureOf(Path file) {
        return file.resolveSibling(file.getFileName() + SIGNATURE_SUFFIX);
    }

    /**
     * Signs and stores a file.
     *
     * @throws ArtifactException {@code LOCAL_IO} if the volume is full or read-only. Then the cache holds the
     *     previous file or none
     */
    public void store(CacheKey key, CachedFile file, byte[] content) {
        var directory = key.directory(root);
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot create " + directory + ": " + e.getMessage(), e);
        }
        if (!isInside(directory)) {
            throw new ArtifactException(Reason.CACHE_INTEGRITY, directory + ": a link leads out of the cache");
        }
        var path = directory.resolve(file.name());
        var signature = DetachedSignature.over(new Statement(key, file, Digest.sha256(content)).bytes(), signer.get());
        lock.hold(directory, () -> {
            AtomicFile.at(path, directory).write(content);
            try {
                AtomicFile.at(signatureOf(path), directory).write(signature.bytes());
            } catch (ArtifactException e) {
                // The volume is full. Without its signature, the file would be reported as tampered with.
                discard(path, e);
                throw e;
            }
            return path;
        });
    }

    private static void discard(Path path, ArtifactException failure) {
        try {
            Files.deleteIfExists(path);
            Files.deleteIfExists(signatureOf(path));
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Removes unused files.
     *
     * @param digests of modules that a retained revision uses
     * @param fingerprints of engines that a replica runs
     * @param age minimum age of deleted files. A leader may be writing files for a revision that this replica has not
     *     observed yet
     * @return the number of deleted files
     */
    public int collectGarbage(Set<String> digests, Set<String> fingerprints, Duration age) {
        return new GarbageCollection(
                        root, digests, fingerprints, clock.instant().minus(age))
                .run();
    }
}
