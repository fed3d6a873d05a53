package io.portcullis.artifacts;

import io.portcullis.artifacts.ArtifactException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads modules from files of this machine: regular files only, and never more than the limit, whatever the file system
 * says about their size.
 */
public final class LocalModule {

    private LocalModule() {}

    /**
     * The bytes of a file.
     *
     * @param limit in bytes
     * @throws ArtifactException {@code TOO_LARGE}, or {@code INVALID_REFERENCE} when it is no regular file
     * @throws IOException when it is not there or cannot be read
     */
    public static byte[] read(Path file, long limit) throws IOException {
        // Before it is opened: opening a FIFO waits for a writer, opening a device may act on it.
        var real = file.toRealPath();
        if (!Files.isRegularFile(real) || isOfTheKernel(real)) {
            throw new ArtifactException(
                    Reason.INVALID_REFERENCE,
                    file + " is not a regular file; a module cannot be read from a directory, device, pipe or socket");
        }
        try (var in = Files.newInputStream(real)) {
            var bytes = in.readNBytes((int) Math.min(limit + 1, Integer.MAX_VALUE - 16));
            if (bytes.length > limit) {
                throw new ArtifactException(Reason.TOO_LARGE, file + ": " + WasmModule.tooLarge(limit));
            }
            return bytes;
        }
    }

    /** Files there are regular by name only: the kernel makes their content up while it is read. */
    private static boolean isOfTheKernel(Path real) {
        return real.startsWith("/proc") || real.startsWith("/sys");
    }
}
