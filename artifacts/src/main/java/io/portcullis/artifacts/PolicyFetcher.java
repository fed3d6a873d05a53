package io.portcullis.artifacts;

import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.store.Receipt;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.artifacts.wasm.LocalModule;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches policies through the local store. A stored policy needs no network access, except for the tag {@code
 * latest}. With verification, the fetcher checks signatures first and downloads only the signed content. Concurrent
 * callers of the same policy share one download. Thread-safe.
 */
public final class PolicyFetcher {

    private static final Logger log = LoggerFactory.getLogger(PolicyFetcher.class);

    /**
     * Holds the checked bytes of a module and their SHA-256 as {@code sha256:<hex>}.
     *
     * @param resolvedUrl an immutable URL of the module. For registries it contains the manifest digest that the tag
     *     pointed to at the time of the request; otherwise it equals the given URL
     */
    public record FetchedModule(String url, String resolvedUrl, byte[] wasm, String digest) {

        public FetchedModule(String url, byte[] wasm, String digest) {
            this(url, url, wasm, digest);
        }
    }

    private final PolicyPull pull;
    private final PolicyStore store;
    private final Optional<PolicyVerification> verification;
    private final ConcurrentMap<PolicyUri, ReentrantLock> downloadLocks = new ConcurrentHashMap<>();

    /**
     * @param limit maximum size of one module, in bytes
     * @param verification absent if the operator did not configure verification
     */
    public PolicyFetcher(
            Transport transport,
            PolicyArtifacts artifacts,
            PolicyStore store,
            Optional<PolicyVerification> verification,
            long limit) {
        this.pull = new PolicyPull(transport, artifacts, limit);
        this.store = store;
        this.verification = verification;
    }

    /**
     * Fetches a policy to this machine and verifies it as configured.
     *
     * @param url {@code registry://…}, {@code https://…}, {@code http://…}, {@code file://…} or a bare image name
     * @throws ArtifactException with a reason that callers can switch on
     */
    public FetchedModule fetch(String url) {
        return fetch(url, DownloadProgress.SILENT);
    }

    /** Fetches a policy and reports progress. */
    public FetchedModule fetch(String url, DownloadProgress progress) {
        return switch (PolicyUri.parse(url)) {
            case PolicyUri.LocalFile(var file) -> local(url, file);
            case PolicyUri.Web web -> {
                refuseUnverifiable(url);
                yield stored(url, StoreRequest.unverified(web), progress);
            }
            case PolicyUri.Registry registry ->
                verification.isPresent()
                        ? verified(url, registry, verification.get(), progress)
                        : stored(url, StoreRequest.unverified(registry), progress);
        };
    }

    /** Downloads a policy into the given file. Does not use the store. */
    public void fetchInto(String url, Path target, DownloadProgress progress) {
        var wanted = switch (PolicyUri.parse(url)) {
            case PolicyUri.LocalFile file -> file;
            case PolicyUri.Web web -> {
                refuseUnverifiable(url);
                yield web;
            }
            case PolicyUri.Registry registry ->
                verification.isPresent() ? pinned(registry, verification.get()) : registry;
        };
        var directory = Optional.ofNullable(target.toAbsolutePath().getParent()).orElse(target);
        AtomicFile.at(target, directory).write(temporary -> pull.pull(wanted, temporary, progress));
    }

    private void refuseUnverifiable(String url) {
        if (verification.isPresent()) {
            throw new ArtifactException(
                    Reason.SIGNATURE,
                    "Policy " + url + " cannot be verified: only policies from registries are signed");
        }
    }

    private FetchedModule local(String url, Path file) {
        refuseUnverifiable(url);
        try {
            return module(url, url, LocalModule.read(file, pull.limit()));
        } catch (NoSuchFileException e) {
            throw new ArtifactException(Reason.NOT_FOUND, "Cannot find policy with uri: " + url, e);
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** Fetches a verified policy. The stored file is used only if it matches the digest in the signed manifest. */
    private FetchedModule verified(
            String url, PolicyUri.Registry registry, PolicyVerification check, DownloadProgress progress) {
        var pinned = pinned(registry, check);
        var signed = check.wasmDigest(pinned.image());
        var module = stored(url, new StoreRequest(registry, pinned, Optional.of(signed)), progress);
        if (!signed.equals(module.digest())) {
            store.remove(registry);
            throw new ArtifactException(
                    Reason.DIGEST_MISMATCH,
                    "The digest of the local file doesn't match with the one reported inside of the signed manifest. Got "
                            + module.digest() + " instead of " + signed);
        }
        return module;
    }

    private static PolicyUri.Registry pinned(PolicyUri.Registry registry, PolicyVerification check) {
        return new PolicyUri.Registry(registry.image().withDigest(check.verify(registry.image())));
    }

    /**
     * Describes one fetch through the store.
     *
     * @param storeUri the key of the policy in the store
     * @param source the URI to download from; pinned if the signatures determine the digest
     * @param digest of the module, if the signatures determine it
     */
    private record StoreRequest(PolicyUri storeUri, PolicyUri source, Optional<String> digest) {

        static StoreRequest unverified(PolicyUri uri) {
            return new StoreRequest(uri, uri, Optional.empty());
        }
    }

    private FetchedModule stored(String url, StoreRequest wanted, DownloadProgress progress) {
        var lock = downloadLocks.computeIfAbsent(wanted.storeUri(), _ -> new ReentrantLock());
        lock.lock();
        try {
            return reusable(url, wanted).orElseGet(() -> download(url, wanted, progress));
        } finally {
            lock.unlock();
        }
    }

    private Optional<FetchedModule> reusable(String url, StoreRequest wanted) {
        var stored = store.find(wanted.storeUri());
        if (stored.isEmpty() || (wanted.digest().isEmpty() && isLatestTag(wanted.storeUri()))) {
            return Optional.empty();
        }
        var receipt = store.receipt(wanted.storeUri());
        var resolved = receipt.map(Receipt::resolvedUrl).orElse(wanted.source().toString());
        var bytes = stored.get().bytes();
        var expected = wanted.digest().or(() -> receipt.map(Receipt::digest));
        if (!expected.orElse(Digest.sha256(bytes)).equals(Digest.sha256(bytes)) || !WasmModule.hasMagic(bytes)) {
            log.atWarn()
                    .addKeyValue("uri", wanted.storeUri())
                    .log("stored policy is outdated or damaged, fetching it again");
            return Optional.empty();
        }
        return Optional.of(module(url, resolved, bytes));
    }

    private FetchedModule download(String url, StoreRequest wanted, DownloadProgress progress) {
        var policy = store.add(wanted.storeUri(), file -> pull.pull(wanted.source(), file, progress));
        var resolved = store.receipt(wanted.storeUri())
                .map(Receipt::resolvedUrl)
                .orElse(wanted.source().toString());
        return module(url, resolved, policy.bytes());
    }

    /** Reports whether a reference uses {@code latest}, the only tag that is expected to move. */
    private static boolean isLatestTag(PolicyUri uri) {
        return uri instanceof PolicyUri.Registry(var image)
                && image.digest().isEmpty()
                && image.tag().orElse("").equals("latest");
    }

    private static FetchedModule module(String url, String resolvedUrl, byte[] wasm) {
        WasmModule.checkMagic(url, wasm);
        return new FetchedModule(url, resolvedUrl, wasm, Digest.sha256(wasm));
    }
}
