package io.portcullis.artifacts.store;

import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Exports and imports policies as a gzipped tar archive, for sites without a registry. The file names follow the
 * store layout.
 */
public final class PolicyArchive {

    private static final long LIMIT = WasmModule.DEFAULT_LIMIT;

    private final PolicyStore store;

    public PolicyArchive(PolicyStore store) {
        this.store = store;
    }

    /** Writes the archive atomically. Every policy must be in the store. */
    public void save(List<PolicyUri> policies, Path archive) {
        var found = policies.stream().map(this::require).toList();
        var directory =
                Optional.ofNullable(archive.toAbsolutePath().getParent()).orElse(archive);
        AtomicFile.at(archive, directory).write(temporary -> {
            try (var file = new BufferedOutputStream(Files.newOutputStream(temporary));
                    var zipped = new GZIPOutputStream(file);
                    var tar = new Tar.Writer(zipped)) {
                for (var policy : found) {
                    tar.add(String.join("/", store.layout().parts(policy.uri())), policy.bytes());
                }
            }
        });
    }

    private StoredPolicy require(PolicyUri uri) {
        return store.find(uri).orElseThrow(() -> new ArtifactException(Reason.NOT_FOUND, "cannot find policy " + uri));
    }

    /**
     * Imports an archive into the store. Reads the whole archive first, so that an invalid archive changes nothing.
     *
     * @return the imported policies
     */
    public List<PolicyUri> load(Path archive) {
        read(archive, (_, _) -> {});
        var loaded = new ArrayList<PolicyUri>();
        read(archive, (uri, content) -> {
            store.add(uri, file -> {
                Files.write(file, content);
                return new Receipt(Digest.sha256(content), uri.toString());
            });
            loaded.add(uri);
        });
        return List.copyOf(loaded);
    }

    @FunctionalInterface
    private interface Visitor {
        void visit(PolicyUri uri, byte[] content);
    }

    private static void read(Path archive, Visitor visitor) {
        try (var file = new BufferedInputStream(Files.newInputStream(archive));
                var unzipped = new GZIPInputStream(file)) {
            var tar = new Tar.Reader(unzipped);
            for (var entry = tar.next(); entry.isPresent(); entry = tar.next()) {
                if (entry.get().isDirectory()) {
                    continue;
                }
                var uri = uri(entry.get());
                var content = tar.content(LIMIT);
                WasmModule.checkMagic(entry.get().name(), content);
                visitor.visit(uri, content);
            }
        } catch (NoSuchFileException e) {
            throw new ArtifactException(Reason.NOT_FOUND, "cannot open file " + archive, e);
        } catch (IOException e) {
            throw new ArtifactException(
                    Reason.INVALID_ARTIFACT, "cannot unpack file " + archive + ": " + e.getMessage(), e);
        }
    }

    /**
     * Converts an entry to a policy URI. Accepts only policy names, so that no entry can escape the store. Accepts
     * the layouts of all operating systems.
     */
    private static PolicyUri uri(Tar.Entry entry) throws IOException {
        var name = entry.name().startsWith("./") ? entry.name().substring(2) : entry.name();
        var parts = List.of(name.split("/", -1));
        if (!entry.isFile()) {
            throw new IOException("\"" + entry.name() + "\" is not a regular file");
        }
        return StoreLayout.VERBATIM
                .uri(parts)
                .or(() -> StoreLayout.ENCODED.uri(parts))
                .orElseThrow(() -> new IOException("\"" + entry.name() + "\" is not the place of a policy"));
    }
}
