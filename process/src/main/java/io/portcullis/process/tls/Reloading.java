package io.portcullis.process.tls;

import io.portcullis.process.files.FileFingerprint;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value that is reloaded when its files change. The first load must succeed. Later a broken file is logged, and the last
 * good value stays. One thread calls {@link #check}; any thread calls {@link #current}.
 */
final class Reloading<T> {

    private static final Logger log = LoggerFactory.getLogger(Reloading.class);

    private final String what;
    private final List<Path> files;
    private final Supplier<T> loader;
    private volatile T current;
    private volatile Optional<String> lastError = Optional.empty();
    private FileFingerprint seen;

    /** @throws TlsException when the files cannot be used now */
    Reloading(String what, List<Path> files, Supplier<T> loader) {
        this.what = what;
        this.files = files;
        this.loader = loader;
        this.seen = FileFingerprint.of(files);
        this.current = loader.get();
    }

    T current() {
        return current;
    }

    Optional<String> lastError() {
        return lastError;
    }

    /** Reloads the value if the content of the files changed since the last check. */
    void check() {
        var now = FileFingerprint.of(files);
        if (now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            current = loader.get();
            lastError = Optional.empty();
            log.atInfo().addKeyValue("files", files).log("{} reloaded", what);
        } catch (TlsException e) {
            lastError = Optional.of(String.valueOf(e.getMessage()));
            log.atError().addKeyValue("error", e.getMessage()).log("{} not reloaded, the old one stays", what);
        }
    }
}
