package io.portcullis.artifacts.disk;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file beside its place and then moves it there, so that neither a reader nor a crash ever sees half of it.
 * Many processes may write the same file: the last one wins, whole.
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

    /** @param directory for the temporary file, on the same file system; made when missing */
    public static AtomicFile at(Path target, Path directory) {
        return new AtomicFile(target, directory);
    }

    /** @throws ArtifactException {@code LOCAL_IO}; then nothing was changed and nothing is left behind */
    public void write(Content content) {
        Path temporary = null;
        try {
            Files.createDirectories(directory);
            temporary = Files.createTempFile(directory, ".tmp-", ".part");
            content.writeTo(temporary);
            // A rename may reach the disk before the content does.
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

    /** The class says what the message of a file system exception leaves out. */
    private static String describe(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
