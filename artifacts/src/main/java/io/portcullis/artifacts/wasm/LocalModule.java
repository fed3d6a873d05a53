package io.portcullis.artifacts.wasm;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads modules from local files. Accepts only regular files and never reads more than the limit, whatever size the
 * file system reports.
 */
public final class LocalModule {

    private LocalModule() {}

    /**
     * Returns the bytes of a file.
     *
     * @param limit in bytes
     * @throws ArtifactException {@code TOO_LARGE}, or {@code INVALID_REFERENCE} if the path is not a regular file
     * @throws IOException if the file does not exist or cannot be read
     */
    public static byte[] read(Path file, long limit) throws IOException {
        // Check before opening: opening a FIFO waits for a writer, and opening a device may trigger an action.
        var real = file.toRealPath();
        if (!Files.isRegularFile(real) || isKernelFile(real)) {
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

    /**
     * Reports whether a file is in a kernel file system. Such a file is regular by type only: the kernel generates
     * its content on read.
     */
    private static boolean isKernelFile(Path real) {
        return real.startsWith("/proc") || real.startsWith("/sys");
    }
}
