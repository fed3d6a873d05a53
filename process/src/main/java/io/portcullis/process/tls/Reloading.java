package io.portcullis.process.tls;

import io.portcullis.process.files.FileFingerprint;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something read from files that follows them. The first load must work; later a broken file is reported and the last
 * good value stays. {@link #check} is called by one thread; {@link #current} by any.
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

    /** Loads anew if the content of the files changed since the last look. */
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
