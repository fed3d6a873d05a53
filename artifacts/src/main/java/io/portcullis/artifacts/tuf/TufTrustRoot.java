package io.portcullis.artifacts.tuf;

import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import io.portcullis.artifacts.verify.trust.TrustRootSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches Sigstore's trust root from a TUF repository. Refreshes once a day. Fetched files are cached in a directory.
 * While the repository is unreachable, the cached files are verified again and used. Thread-safe.
 */
public final class TufTrustRoot implements TrustRootSource {

    /** Repository of the public Sigstore instance. */
    public static final URI SIGSTORE = URI.create("https://tuf-repo-cdn.sigstore.dev/");

    private static final Logger log = LoggerFactory.getLogger(TufTrustRoot.class);
    private static final String TARGET = "trusted_root.json";
    private static final Duration REFRESH = Duration.ofDays(1);
    private static final int MAX_FILE_BYTES = 5 << 20;
    private static final int MAX_ROOT_UPDATES = 256;

    private final Transport transport;
    private final URI repository;
    private final byte[] firstRoot;
    private final Path directory;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private @Nullable TrustRoot current;
    private Instant refreshedAt = Instant.MIN;

    /**
     * @param firstRoot the initially trusted root metadata
     * @param directory for cached files; created if missing
     */
    public TufTrustRoot(Transport transport, URI repository, byte[] firstRoot, Path directory, Clock clock) {
        this.transport = transport;
        this.repository = repository;
        this.firstRoot = firstRoot.clone();
        this.directory = directory;
        this.clock = clock;
    }

    /** Returns the trust root of the public instance, starting from the bundled root. */
    public static TufTrustRoot ofSigstore(Transport transport, Path directory, Clock clock) {
        try (var root = TufTrustRoot.class.getResourceAsStream("sigstore-tuf-root.json")) {
            if (root == null) {
                throw new IllegalStateException("the first root is missing from this build");
            }
            return new TufTrustRoot(transport, SIGSTORE, root.readAllBytes(), directory, clock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public TrustRoot get() {
        lock.lock();
        try {
            if (current == null || clock.instant().isAfter(refreshedAt.plus(REFRESH))) {
                current = TrustRoot.parse(fetch());
                refreshedAt = clock.instant();
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    private byte[] fetch() {
        try {
            return update(this::download, true);
        } catch (ArtifactException e) {
            log.atWarn()
                    .addKeyValue("error", e.getMessage())
                    .log("TUF repository is unreachable, using the stored files");
            return stored(e);
        } catch (GeneralSecurityException e) {
            throw failed(e);
        }
    }

    private byte[] stored(ArtifactException failure) {
        try {
            return update(this::read, false);
        } catch (GeneralSecurityException | ArtifactException e) {
            failure.addSuppressed(e);
            throw failed(failure);
        }
    }

    private static ArtifactException failed(Exception cause) {
        return new ArtifactException(
                Reason.TRUST_ROOT, "Error building Sigstore trust root: " + cause.getMessage(), cause);
    }

    /** Source of metadata files: the remote repository or the local directory. */
    @FunctionalInterface
    private interface Repository {
        Optional<byte[]> get(String remoteName, String localName);
    }

    /** Runs the client workflow of the TUF specification, §5.3 to §5.7. */
    private byte[] update(Repository files, boolean keep) throws GeneralSecurityException {
        var now = clock.instant();
        var root = latestRoot(files, keep);
        root.checkNotExpired(now);

        var timestampBytes = require(files, "timestamp.json", "timestamp.json");
        var timestamp = trusted(root, "timestamp", timestampBytes, now);
        checkNoRollback("timestamp", timestamp);

        var snapshotVersion = timestamp.announcedVersion("snapshot.json");
        var snapshotBytes = require(files, snapshotVersion + ".snapshot.json", "snapshot.json");
        var snapshot = trusted(root, "snapshot", snapshotBytes, now);
        timestamp.checkDescribes("snapshot.json", snapshotBytes, snapshot);

        var targetsVersion = snapshot.announcedVersion("targets.json");
        var targetsBytes = require(files, targetsVersion + ".targets.json", "targets.json");
        var targets = trusted(root, "targets", targetsBytes, now);
        snapshot.checkDescribes("targets.json", targetsBytes, targets);

        var entry = targets.signed().path("targets").path(TARGET);
        var hash = entry.at("/hashes/sha256").asText();
        var target = require(files, "targets/" + hash + "." + TARGET, TARGET);
        TufMetadata.checkHash(TARGET, entry, target, true);

        if (keep) {
            keep("targets.json", targetsBytes);
            keep("snapshot.json", snapshotBytes);
            keep(TARGET, target);
            keep("timestamp.json", timestampBytes);
        }
        return target;
    }

    private TufMetadata latestRoot(Repository files, boolean keep) throws GeneralSecurityException {
        var root = TufMetadata.parse(read("", "root.json").orElse(firstRoot), "root");
        root.checkSigns("root", root);
        for (int step = 0; keep && step < MAX_ROOT_UPDATES; step++) {
            var next = files.get((root.version() + 1) + ".root.json", "");
            if (next.isEmpty()) {
                break;
            }
            var candidate = TufMetadata.parse(next.get(), "root");
            root.checkSigns("root", candidate);
            candidate.checkSigns("root", candidate);
            if (candidate.version() != root.version() + 1) {
                throw new GeneralSecurityException("root metadata has another version than asked for");
            }
            root = candidate;
            keep("root.json", next.get());
        }
        return root;
    }

    private static TufMetadata trusted(TufMetadata root, String role, byte[] bytes, Instant now)
            throws GeneralSecurityException {
        var metadata = TufMetadata.parse(bytes, role);
        root.checkSigns(role, metadata);
        metadata.checkNotExpired(now);
        return metadata;
    }

    private void checkNoRollback(String role, TufMetadata metadata) throws GeneralSecurityException {
        var before = read("", role + ".json");
        if (before.isPresent() && TufMetadata.parse(before.get(), role).version() > metadata.version()) {
            throw new GeneralSecurityException(role + " metadata is older than what we have seen");
        }
    }

    private static byte[] require(Repository files, String remoteName, String localName)
            throws GeneralSecurityException {
        return files.get(remoteName, localName)
                .orElseThrow(() -> new GeneralSecurityException(remoteName + " is missing"));
    }

    private Optional<byte[]> download(String remoteName, String localName) {
        try (var response = transport.send(Request.get(repository.resolve(remoteName), Map.of()))) {
            if (response.status() == 404 || response.status() == 403) {
                return Optional.empty();
            }
            if (!response.isSuccess()) {
                throw response.failure("TUF repository");
            }
            return Optional.of(response.bytes(MAX_FILE_BYTES));
        }
    }

    private Optional<byte[]> read(String remoteName, String localName) {
        try {
            return Optional.of(Files.readAllBytes(directory.resolve(localName)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private void keep(String name, byte[] bytes) {
        try {
            AtomicFile.at(directory.resolve(name), directory).write(bytes);
        } catch (ArtifactException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("cannot store TUF metadata");
        }
    }
}
