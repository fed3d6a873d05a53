package io.portcullis.artifacts.store;

import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Stores policies on the local disk in kwctl's layout. Processes may share one store, because writes are atomic.
 * Temporary files and receipts are in directories that kwctl skips. Thread-safe.
 */
public final class PolicyStore {

    private static final String TEMPORARY = ".tmp";
    private static final String RECEIPTS = ".receipts";
    private static final Pattern SHA_PREFIX = Pattern.compile("[0-9a-f]{1,64}");

    private final Path root;
    private final StoreLayout layout;

    PolicyStore(Path root, StoreLayout layout) {
        this.root = root.toAbsolutePath().normalize();
        this.layout = layout;
    }

    /** Opens a store; the directory may be missing. */
    public PolicyStore(Path root) {
        this(root, StoreLayout.ofThisMachine());
    }

    Path root() {
        return root;
    }

    StoreLayout layout() {
        return layout;
    }

    /** Returns the path of a policy, whether or not it is stored. */
    public Path place(PolicyUri uri) {
        return StoreLayout.resolve(root, layout.parts(uri));
    }

    /** Returns the policy if it is stored. A link is not a policy. */
    public Optional<StoredPolicy> find(PolicyUri uri) {
        var file = place(uri);
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                ? Optional.of(new StoredPolicy(uri, file))
                : Optional.empty();
    }

    /** Returns the receipt that was written with the policy. */
    public Optional<Receipt> receipt(PolicyUri uri) {
        return Receipt.read(receiptPath(uri));
    }

    private Path receiptPath(PolicyUri uri) {
        return StoreLayout.resolve(root.resolve(RECEIPTS), layout.parts(uri));
    }

    /**
     * Stores a policy.
     *
     * @param content fills a temporary file and returns its receipt
     */
    public StoredPolicy add(PolicyUri uri, Arrival content) {
        var path = place(uri);
        var temporaries = root.resolve(TEMPORARY);
        AtomicFile.at(path, temporaries).write(temporary -> {
            var receipt = content.receive(temporary);
            // Write the receipt first. A receipt without a file is harmless. A file with an old receipt looks damaged
            // and is fetched again.
            AtomicFile.at(receiptPath(uri), temporaries).write(receipt.bytes());
        });
        return new StoredPolicy(uri, path);
    }

    /** Writes a policy into a file. */
    @FunctionalInterface
    public interface Arrival {
        Receipt receive(Path file) throws IOException;
    }

    /** Returns all policies, sorted by URI. */
    public List<StoredPolicy> list() {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        try (var files = Files.walk(root)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .flatMap(this::stored)
                    .sorted(Comparator.comparing(policy -> policy.uri().toString()))
                    .toList();
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot list " + root + ": " + e.getMessage(), e);
        }
    }

    private Stream<StoredPolicy> stored(Path file) {
        var parts = StreamSupport.stream(root.relativize(file).spliterator(), false)
                .map(Path::toString)
                .toList();
        return layout.uri(parts).map(uri -> new StoredPolicy(uri, file)).stream();
    }

    /** Finds a policy by a prefix of its SHA-256. Equal bytes under several names count as one match. */
    public Optional<StoredPolicy> findByPrefix(String prefix) {
        var wanted = prefix.toLowerCase(Locale.ROOT);
        if (!SHA_PREFIX.matcher(wanted).matches()) {
            return Optional.empty();
        }
        record Hashed(String digest, StoredPolicy policy) {}
        var matches = list().stream()
                .map(policy -> new Hashed(policy.digest(), policy))
                .filter(each -> Digest.hex(each.digest()).startsWith(wanted))
                .toList();
        if (matches.stream().map(Hashed::digest).distinct().count() > 1) {
            throw new ArtifactException(
                    Reason.INVALID_REFERENCE, "multiple policies found with the same prefix: " + prefix);
        }
        return matches.stream().map(Hashed::policy).findFirst();
    }

    /** Removes the policy and the directories that become empty. */
    public void remove(PolicyUri uri) {
        var file = find(uri)
                .orElseThrow(() -> new ArtifactException(Reason.NOT_FOUND, "Cannot find policy with uri: " + uri))
                .file();
        try {
            delete(file);
            delete(receiptPath(uri));
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot remove " + file + ": " + e.getMessage(), e);
        }
    }

    private void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
        for (var parent = file.getParent(); parent != null && !parent.equals(root); parent = parent.getParent()) {
            try {
                Files.deleteIfExists(parent);
            } catch (DirectoryNotEmptyException e) {
                return;
            }
        }
    }
}
