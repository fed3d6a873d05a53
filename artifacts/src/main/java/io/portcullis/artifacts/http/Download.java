package io.portcullis.artifacts.http;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Downloads one body into a file and hashes every byte. After a broken connection it resumes if the server supports
 * ranges, otherwise it restarts. For a single use by one thread. On failure the file is deleted.
 */
public final class Download {

    private static final int BUFFER = 1 << 16;

    /** Opens the body; may be called several times. */
    @FunctionalInterface
    public interface Source {
        RegistryResponse open(Request request);
    }

    private final Transport transport;
    private final Request request;
    private final long limit;
    private final Optional<String> wanted;
    private final DownloadProgress progress;
    private MessageDigest hash;
    private long count;

    /**
     * @param limit in bytes; a larger body is rejected before or during the transfer
     * @param wanted the digest that the body must have, if known
     */
    public Download(
            Transport transport, Request request, long limit, Optional<String> wanted, DownloadProgress progress) {
        this.transport = transport;
        this.request = request;
        this.limit = limit;
        this.wanted = wanted;
        this.progress = progress;
        this.hash = newHash();
    }

    /** @return the digest; equals the wanted digest if there is one */
    public String to(Path file, Source source) {
        try {
            transfer(file, source);
            transport.downloaded(count);
            var digest = Digest.formatLike(wanted.orElse("sha256:"), hash.digest());
            if (!wanted.orElse(digest).equals(digest)) {
                throw new ArtifactException(
                        Reason.DIGEST_MISMATCH,
                        request + ": the content has digest " + digest + " instead of " + wanted.get());
            }
            return digest;
        } catch (RuntimeException e) {
            discard(file, e);
            throw e;
        }
    }

    private void transfer(Path file, Source source) {
        var startedAt = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try (var response = source.open(resuming())) {
                if (!response.isSuccess()) {
                    throw response.failure("");
                }
                copy(response, file);
                return;
            } catch (BrokenBodyException e) {
                var deadlinePassed = System.nanoTime() - startedAt
                        >= transport.limits().total().toNanos();
                if (deadlinePassed
                        || attempt >= transport.limits().attempts()
                        || e.cause instanceof SlowBodyException) {
                    throw HttpFailures.of(request, e.cause);
                }
                transport.pauseAfter(attempt, request);
            }
        }
    }

    private Request resuming() {
        return count == 0 ? request : request.with("Range", "bytes=" + count + "-");
    }

    private void copy(RegistryResponse response, Path file) throws BrokenBodyException {
        var resumed = response.status() == 206
                && response.header("Content-Range").orElse("").startsWith("bytes " + count + "-");
        if (!resumed) {
            count = 0;
            hash = newHash();
        }
        var total = total(response.length());
        refuseIfLonger(total.orElse(0));
        var buffer = new byte[BUFFER];
        try (var out = open(file, resumed)) {
            while (true) {
                int read;
                try {
                    read = response.body().read(buffer);
                } catch (IOException e) {
                    throw new BrokenBodyException(e);
                }
                if (read < 0) {
                    break;
                }
                count += read;
                refuseIfLonger(count);
                hash.update(buffer, 0, read);
                out.write(buffer, 0, read);
                progress.transferred(count, total);
            }
        } catch (IOException e) {
            throw new ArtifactException(
                    Reason.LOCAL_IO, "wasm module cannot be saved to " + file + ": " + e.getMessage(), e);
        }
        if (total.isPresent() && count < total.getAsLong()) {
            throw new BrokenBodyException(new IOException("the body ended after " + count + " bytes"));
        }
    }

    private OptionalLong total(OptionalLong rest) {
        return rest.isPresent() ? OptionalLong.of(count + rest.getAsLong()) : OptionalLong.empty();
    }

    private void refuseIfLonger(long bytes) {
        if (bytes > limit) {
            throw new ArtifactException(Reason.TOO_LARGE, request + ": " + WasmModule.tooLarge(limit));
        }
    }

    private static OutputStream open(Path file, boolean append) throws IOException {
        return append
                ? Files.newOutputStream(file, StandardOpenOption.APPEND)
                : Files.newOutputStream(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
    }

    private MessageDigest newHash() {
        return Digest.hashFor(wanted.orElse(Digest.sha256(new byte[0])));
    }

    private static void discard(Path file, RuntimeException failure) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** A failure of the connection, as opposed to the disk. */
    private static final class BrokenBodyException extends Exception {
        private final IOException cause;

        BrokenBodyException(IOException cause) {
            super(cause);
            this.cause = cause;
        }
    }
}
