package io.portcullis.artifacts;

import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.artifacts.http.Progress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.store.Receipt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches policies through the local store: what is there is used without the network, except the tag {@code latest}.
 * With verification the signatures are checked first, and only what was signed is downloaded. Two callers that want the
 * same policy share one download. Thread-safe.
 */
public final class PolicyFetcher implements ModuleFetcher {

    /** No policy seen in the wild comes near it. */
    public static final long DEFAULT_LIMIT = 100L << 20;

    private static final Logger log = LoggerFactory.getLogger(PolicyFetcher.class);

    private final PolicyPull pull;
    private final PolicyStore store;
    private final Optional<PolicyVerification> verification;
    private final ConcurrentMap<PolicyUri, ReentrantLock> underway = new ConcurrentHashMap<>();

    /**
     * @param limit of one module, in bytes
     * @param verification absent when the operator asks for none
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

    @Override
    public FetchedModule fetch(String url) {
        return fetch(url, Progress.SILENT);
    }

    /** The same, with someone watching. */
    public FetchedModule fetch(String url, Progress progress) {
        return switch (PolicyUri.parse(url)) {
            case PolicyUri.LocalFile(var file) -> local(url, file);
            case PolicyUri.Web web -> {
                refuseUnverifiable(url);
                yield stored(url, web, progress);
            }
            case PolicyUri.Registry registry ->
                verification.isPresent()
                        ? verified(url, registry, verification.get(), progress)
                        : stored(url, registry, progress);
        };
    }

    /** Downloads into a file of the caller's choice; the store is not touched. */
    public void fetchInto(String url, Path target, Progress progress) {
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
            if (Files.size(file) > pull.limit()) {
                throw new ArtifactException(
                        Reason.TOO_LARGE, file + ": larger than the limit of " + pull.limit() + " bytes");
            }
            return module(url, url, Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            throw new ArtifactException(Reason.NOT_FOUND, "Cannot find policy with uri: " + url, e);
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private FetchedModule verified(
            String url, PolicyUri.Registry registry, PolicyVerification check, Progress progress) {
        var pinned = pinned(registry, check);
        var module = stored(url, pinned, progress);
        var signed = check.wasmDigest(pinned.image());
        if (!signed.equals(module.digest())) {
            store.remove(pinned);
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

    private FetchedModule stored(String url, PolicyUri uri, Progress progress) {
        var lock = underway.computeIfAbsent(uri, _ -> new ReentrantLock());
        lock.lock();
        try {
            return reusable(url, uri).orElseGet(() -> download(url, uri, progress));
        } finally {
            lock.unlock();
        }
    }

    private Optional<FetchedModule> reusable(String url, PolicyUri uri) {
        if (isMoving(uri)) {
            return Optional.empty();
        }
        return store.find(uri).flatMap(policy -> {
            var receipt = store.receipt(uri);
            var module = module(url, receipt.map(Receipt::resolvedUrl).orElse(uri.toString()), policy.bytes());
            if (receipt.isPresent() && !receipt.get().digest().equals(module.digest())) {
                log.atWarn().addKeyValue("uri", uri).log("stored policy is damaged, fetching it again");
                return Optional.empty();
            }
            return Optional.of(module);
        });
    }

    private FetchedModule download(String url, PolicyUri uri, Progress progress) {
        var policy = store.add(uri, file -> pull.pull(uri, file, progress));
        var resolved = store.receipt(uri).map(Receipt::resolvedUrl).orElse(uri.toString());
        return module(url, resolved, policy.bytes());
    }

    /** The one tag that everyone moves. */
    private static boolean isMoving(PolicyUri uri) {
        return uri instanceof PolicyUri.Registry(var image)
                && image.digest().isEmpty()
                && image.tag().orElse("").equals("latest");
    }

    private static FetchedModule module(String url, String resolvedUrl, byte[] wasm) {
        WasmModule.checkMagic(url, wasm);
        return new FetchedModule(url, resolvedUrl, wasm, Digest.sha256(wasm));
    }
}
