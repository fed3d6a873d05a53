package io.portcullis.artifacts.disk;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Writes a temporary file and renames it to the target, so that neither a reader nor a crash leaves a partial file.
 * Several processes may write the same file; the last rename wins.
 */
public final class AtomicFile {

    /** Fills the temporary file. */
    @FunctionalInterface
    public interface Content {
        void writeTo(Path temporary) throws IOException;
    }

    private final Path target;
    private final Path directory;

    private AtomicFile(Path target, Path directory) {
        this.target = target;
        this.directory = directory;
    }

    /** @param directory for the temporary file, on the same file system; created if missing */
    public static AtomicFile at(Path target, Path directory) {
        return new AtomicFile(target, directory);
    }

    /** @throws ArtifactException {@code LOCAL_IO}; then the target is unchanged and no temporary file remains */
    public void write(Content content) {
        Path temporary = null;
        try {
            Files.createDirectories(directory);
            temporary = Files.createTempFile(directory, ".tmp-", ".part");
            content.writeTo(temporary);
            // Flush first: the disk may persist the rename before the content.
            try (var channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.createDirectories(parentOf(target));
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw discard(
                    temporary,
                    new ArtifactException(Reason.LOCAL_IO, "cannot write " + target + ": " + describe(e), e));
        } catch (RuntimeException e) {
            throw discard(temporary, e);
        }
    }

    public void write(byte[] content) {
        write(temporary -> Files.write(temporary, content));
    }

    private static Path parentOf(Path file) {
        var parent = file.toAbsolutePath().getParent();
        return parent == null ? file.toAbsolutePath() : parent;
    }

    private static RuntimeException discard(@Nullable Path temporary, RuntimeException failure) {
        if (temporary != null) {
            try {
                Files.deleteIfExists(temporary);
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
        return failure;
    }

    /**
     * Returns the class name and the message, because the message of a file system exception often omits the kind of
     * failure.
     */
    private static String describe(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
