package io.portcullis.artifacts;

import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.http.Progress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds out which module a reference stands for at this moment, and brings exactly that one, however late and wherever it
 * is asked for again. Keeps nothing: that is the business of the caller's cache. Thread-safe.
 */
public final class PinnedModules {

    private static final String SHA_256 = "sha256:";

    private final PolicyArtifacts artifacts;
    private final PolicyPull pull;
    private final Optional<PolicyVerification> verification;
    private final Path directory;

    /**
     * @param verification absent when the operator asks for none
     * @param directory for downloads while they arrive
     * @param limit of one module, in bytes
     */
    public PinnedModules(
            Transport transport,
            PolicyArtifacts artifacts,
            Optional<PolicyVerification> verification,
            Path directory,
            long limit) {
        this.artifacts = artifacts;
        this.pull = new PolicyPull(transport, artifacts, limit);
        this.verification = verification;
        this.directory = directory;
    }

    /** Whether signatures are looked at when a reference is resolved. */
    public boolean verifies() {
        return verification.isPresent();
    }

    /**
     * What a reference stands for.
     *
     * @param wasm its bytes, when it took a download to find out
     */
    public record Resolved(String digest, Optional<byte[]> wasm) {}

    /**
     * Asks the source, and verifies signatures as configured.
     *
     * @throws ArtifactException with a reason that callers can tell apart
     */
    public Resolved resolve(String url) {
        return switch (PolicyUri.parse(url)) {
            case PolicyUri.Registry registry -> resolve(registry);
            case PolicyUri uri -> {
                if (verification.isPresent()) {
                    throw new ArtifactException(
                            Reason.SIGNATURE,
                            "Policy " + uri + " cannot be verified: only policies from registries are signed");
                }
                yield known(bytes(uri));
            }
        };
    }

    private Resolved resolve(PolicyUri.Registry registry) {
        var image = verification
                .map(check -> registry.image().withDigest(check.verify(registry.image())))
                .orElse(registry.image());
        var digest = artifacts.resolve(image).wasm().digest();
        // Modules are named by this kind of digest everywhere; registries may use others.
        return digest.startsWith(SHA_256)
                ? new Resolved(digest, Optional.empty())
                : known(download(registry.toString(), file -> artifacts.pullModule(image, digest, file, pull.limit())));
    }

    private static Resolved known(byte[] wasm) {
        return new Resolved(Digest.sha256(wasm), Optional.of(wasm));
    }

    /**
     * The module with this digest, from where the URL says. Signatures are not looked at: whoever resolved it has.
     *
     * @throws ArtifactException with a reason that callers can tell apart
     */
    public byte[] fetch(String url, String digest) {
        Digest.check(digest);
        var uri = PolicyUri.parse(url);
        var wasm = uri instanceof PolicyUri.Registry(var image)
                ? download(url, file -> artifacts.pullModule(image, digest, file, pull.limit()))
                : bytes(uri);
        if (!Digest.matches(digest, wasm)) {
            throw new ArtifactException(
                    Reason.DIGEST_MISMATCH,
                    uri + ": the module has digest " + Digest.sha256(wasm) + " instead of " + digest);
        }
        return wasm;
    }

    private byte[] bytes(PolicyUri uri) {
        return switch (uri) {
            case PolicyUri.LocalFile(var path) -> local(path);
            case PolicyUri other -> download(other.toString(), file -> pull.pull(other, file, Progress.SILENT));
        };
    }

    private byte[] local(Path path) {
        try {
            if (Files.size(path) > pull.limit()) {
                throw new ArtifactException(
                        Reason.TOO_LARGE, path + ": larger than the limit of " + pull.limit() + " bytes");
            }
            return checked(path.toString(), Files.readAllBytes(path));
        } catch (NoSuchFileException e) {
            throw new ArtifactException(Reason.NOT_FOUND, "there is no file " + path, e);
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    @FunctionalInterface
    private interface Transfer {
        void into(Path file) throws IOException;
    }

    private byte[] download(String name, Transfer transfer) {
        try {
            Files.createDirectories(directory);
            var file = Files.createTempFile(directory, "module-", ".part");
            try {
                transfer.into(file);
                return checked(name, Files.readAllBytes(file));
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot download into " + directory + ": " + e, e);
        }
    }

    private static byte[] checked(String name, byte[] wasm) {
        WasmModule.checkMagic(name, wasm);
        return wasm;
    }
}
