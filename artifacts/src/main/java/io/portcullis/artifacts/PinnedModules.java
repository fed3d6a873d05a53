package io.portcullis.artifacts;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves module references in a cluster, and fetches exactly the module that a reference was resolved to. Tenants
 * write the references, so local files are refused and no message reveals anything about them. Caches nothing.
 * Thread-safe.
 */
public final class PinnedModules {

    private static final Logger log = LoggerFactory.getLogger(PinnedModules.class);
    private static final String SHA_256 = "sha256:";

    private final PolicyArtifacts artifacts;
    private final PolicyPull pull;
    private final Optional<PolicyVerification> verification;
    private final Path directory;

    /**
     * @param verification absent if the operator did not configure verification
     * @param directory for downloads in progress
     * @param limit maximum size of one module, in bytes
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

    /** Reports whether {@link #resolve} checks signatures. */
    public boolean verifies() {
        return verification.isPresent();
    }

    /**
     * Holds the digest that a reference points to.
     *
     * @param wasm the module's bytes, if resolving required a download
     */
    public record Resolved(String digest, Optional<byte[]> wasm) {}

    /**
     * Resolves a reference at its source and verifies signatures as configured.
     *
     * @throws ArtifactException with a reason that callers can switch on
     */
    public Resolved resolve(String url) {
        return switch (PolicyUri.parse(url)) {
            case PolicyUri.Registry registry -> resolve(registry);
            case PolicyUri.Web web -> {
                if (verification.isPresent()) {
                    throw new ArtifactException(
                            Reason.SIGNATURE,
                            "Policy " + web + " cannot be verified: only policies from registries are signed");
                }
                yield resolvedTo(bytes(web));
            }
            case PolicyUri.LocalFile _ -> throw fileRefused();
        };
    }

    /**
     * Builds the refusal. The message contains nothing about the file, because a tenant must not learn what exists
     * there.
     */
    private static ArtifactException fileRefused() {
        return new ArtifactException(
                Reason.INVALID_REFERENCE,
                "modules from file: URLs are refused in clusters (rule no-file-modules);"
                        + " push the module to a registry and refer to it by registry:// or https://");
    }

    private Resolved resolve(PolicyUri.Registry registry) {
        var image = verification
                .map(check -> registry.image().withDigest(check.verify(registry.image())))
                .orElse(registry.image());
        var digest = artifacts.resolve(image).wasm().digest();
        // Portcullis identifies modules by SHA-256 everywhere; registries may use other algorithms.
        return digest.startsWith(SHA_256)
                ? new Resolved(digest, Optional.empty())
                : resolvedTo(
                        download(registry.toString(), file -> artifacts.pullModule(image, digest, file, pull.limit())));
    }

    private static Resolved resolvedTo(byte[] wasm) {
        return new Resolved(Digest.sha256(wasm), Optional.of(wasm));
    }

    /**
     * Fetches the module with this digest from the URL. Does not check signatures, because the caller of {@link
     * #resolve} already did.
     *
     * @throws ArtifactException with a reason that callers can switch on
     */
    public byte[] fetch(String url, String digest) {
        Digest.check(digest);
        var uri = PolicyUri.parse(url);
        var wasm = switch (uri) {
            case PolicyUri.Registry(var image) ->
                download(url, file -> artifacts.pullModule(image, digest, file, pull.limit()));
            case PolicyUri.Web web -> bytes(web);
            case PolicyUri.LocalFile _ -> throw fileRefused();
        };
        if (!Digest.matches(digest, wasm)) {
            throw new ArtifactException(
                    Reason.DIGEST_MISMATCH,
                    uri + ": the module has digest " + Digest.sha256(wasm) + " instead of " + digest);
        }
        return wasm;
    }

    private byte[] bytes(PolicyUri.Web web) {
        return download(web.toString(), file -> pull.pull(web, file, DownloadProgress.SILENT));
    }

    @FunctionalInterface
    private interface DownloadStep {
        void into(Path file) throws IOException;
    }

    private byte[] download(String name, DownloadStep transfer) {
        try {
            Files.createDirectories(directory);
            var file = Files.createTempFile(directory, "module-", ".part");
            try {
                transfer.into(file);
                return checked(name, Files.readAllBytes(file));
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (ArtifactException e) {
            throw e.reason() == Reason.LOCAL_IO ? notStored(name, e) : e;
        } catch (IOException e) {
            throw notStored(name, e);
        }
    }

    /**
     * Builds the error for a failed write. The message goes into the status of a tenant's policy, so the path and the
     * cause go only to the log.
     */
    private ArtifactException notStored(String name, Exception cause) {
        log.atWarn()
                .addKeyValue("directory", directory)
                .addKeyValue("error", cause.toString())
                .log("cannot store a download");
        return new ArtifactException(
                Reason.LOCAL_IO, name + ": this policy server cannot store the download; its log says why", cause);
    }

    private static byte[] checked(String name, byte[] wasm) {
        WasmModule.checkMagic(name, wasm);
        return wasm;
    }
}
