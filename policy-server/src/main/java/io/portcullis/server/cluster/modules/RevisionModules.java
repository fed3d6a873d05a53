package io.portcullis.server.cluster.modules;

import io.portcullis.artifacts.PinnedModules;
import io.portcullis.artifacts.cache.CacheKey;
import io.portcullis.artifacts.cache.CacheLookup;
import io.portcullis.artifacts.cache.CachedFile;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.server.cluster.revisions.ErrorTexts;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides the modules of revisions by digest. It reads them from the signed cache, or else from another replica, or else from
 * their origin, and then stores them in the cache. It is also the engine's cache for compiled code. Thread-safe.
 */
public final class RevisionModules implements CompiledModuleCache {

    private static final Logger log = LoggerFactory.getLogger(RevisionModules.class);
    private static final CachedFile ORIGINAL = new CachedFile.Original();

    private final SharedCache cache;
    private final PinnedModules source;
    private final ModulePeers peers;
    /** Cache keys by digest. The engine identifies modules by digest only; the cache key also contains the origin. */
    private final Map<String, CacheKey> keys = new ConcurrentHashMap<>();

    private final Map<String, ReentrantLock> downloads = new ConcurrentHashMap<>();
    private final Map<String, String> writeFailures = new ConcurrentHashMap<>();

    public RevisionModules(SharedCache cache, PinnedModules source, ModulePeers peers) {
        this.cache = cache;
        this.source = source;
        this.peers = peers;
    }

    /** Whether signatures are verified when a reference is resolved. */
    public boolean isVerifying() {
        return source.verifies();
    }

    /**
     * Resolves a reference to its current digest, and verifies signatures as configured.
     *
     * @throws ArtifactException as {@link PinnedModules#resolve}
     */
    public String resolve(String url) {
        var resolved = source.verifies() ? verified(url) : source.resolve(url);
        resolved.wasm().ifPresent(wasm -> storeOriginal(key(url, resolved.digest()), wasm));
        return resolved.digest();
    }

    /** Logs the same texts as Kubewarden's policy server, because users search for them. */
    private PinnedModules.Resolved verified(String url) {
        log.atInfo().addKeyValue("policy", url).log("verifying policy authenticity and integrity using sigstore");
        try {
            var resolved = source.resolve(url);
            log.atInfo()
                    .addKeyValue("policy", url)
                    .addKeyValue("sha256sum", resolved.digest())
                    .addKeyValue("status", "verified-signatures")
                    .log("policy download");
            return resolved;
        } catch (ArtifactException e) {
            if (e.reason() == Reason.SIGNATURE) {
                log.atError()
                        .addKeyValue("policy", url)
                        .addKeyValue("error", ErrorTexts.sanitize(String.valueOf(e.getMessage())))
                        .log("policy cannot be verified");
            }
            throw e;
        }
    }

    /**
     * Whether an earlier digest may be used again without a request to its origin. False when signatures are required,
     * because the verification config may have changed since.
     */
    public boolean isTrusted(String url, String digest) {
        return !source.verifies() && cache.holds(key(url, digest), ORIGINAL);
    }

    /**
     * Returns why the verification config does not accept an earlier digest; empty if it does, or if there is no config.
     *
     * @throws ArtifactException when the signatures cannot be checked now
     */
    public Optional<String> refusal(String url, String digest) {
        if (!source.verifies()) {
            return Optional.empty();
        }
        try {
            return resolve(url).equals(digest) ? Optional.empty() : Optional.of(resolvesElsewhere(url, digest));
        } catch (ArtifactException e) {
            if (e.reason() != Reason.SIGNATURE) {
                throw e;
            }
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static String resolvesElsewhere(String url, String digest) {
        return url + " no longer resolves to " + digest + ", so its signature can no longer be verified";
    }

    /**
     * Returns the module with a digest that an older revision used. If signatures are required and the cache does not
     * contain the module, the reference must still resolve to this digest.
     */
    public byte[] pinned(String url, String digest) {
        if (source.verifies()
                && !cache.holds(key(url, digest), ORIGINAL)
                && !resolve(url).equals(digest)) {
            throw new ArtifactException(Reason.SIGNATURE, resolvesElsewhere(url, digest));
        }
        return bytes(url, digest);
    }

    /**
     * Returns the module with this digest. The caller must have checked that it may fetch the digest: it resolved the reference
     * itself, or the leader's statement names the digest, or the controller pinned it.
     *
     * @throws ArtifactException {@code CACHE_INTEGRITY} when the cached file was changed and there is no other copy
     */
    public byte[] bytes(String url, String digest) {
        var key = key(url, digest);
        return switch (cache.find(key, ORIGINAL)) {
            case CacheLookup.Found(var wasm) when Digest.matches(digest, wasm) -> wasm;
            case CacheLookup.Found _, CacheLookup.Absent _ -> fetch(url, key);
            case CacheLookup.Rejected(var cause) -> {
                try {
                    yield fetch(url, key);
                } catch (ArtifactException e) {
                    throw new ArtifactException(
                            Reason.CACHE_INTEGRITY,
                            "the cached module was changed (" + cause + ") and cannot be fetched again: "
                                    + e.getMessage(),
                            e);
                }
            }
        };
    }

    private byte[] fetch(String url, CacheKey key) {
        var lock = downloads.computeIfAbsent(key.digest(), _ -> new ReentrantLock());
        lock.lock();
        try {
            if (cache.holds(key, ORIGINAL) && cache.find(key, ORIGINAL) instanceof CacheLookup.Found(var wasm)) {
                return wasm;
            }
            var fromPeer = peers.fetch(key.digest());
            if (fromPeer.isPresent()) {
                storeOriginal(key, fromPeer.get());
                return fromPeer.get();
            }
            var wasm = source.fetch(url, key.digest());
            if (source.verifies()) {
                log.atInfo()
                        .addKeyValue("policy", url)
                        .addKeyValue("sha256sum", key.digest())
                        .addKeyValue("status", "verified-local-checksum")
                        .log("Local file checksum verification passed");
            }
            storeOriginal(key, wasm);
            return wasm;
        } finally {
            lock.unlock();
            downloads.remove(key.digest(), lock);
        }
    }

    private CacheKey key(String url, String digest) {
        var key = CacheKey.of(url, digest);
        keys.putIfAbsent(Digest.hex(digest), key);
        return key;
    }

    /** Stores a module. A failed write does not fail the caller, which already has the bytes. */
    private void storeOriginal(CacheKey key, byte[] wasm) {
        write(key, ORIGINAL, wasm);
    }

    private void write(CacheKey key, CachedFile file, byte[] content) {
        try {
            cache.store(key, file, content);
            writeFailures.remove(key.digest());
        } catch (ArtifactException e) {
            writeFailures.put(key.digest(), String.valueOf(e.getMessage()));
            log.atWarn()
                    .addKeyValue("digest", key.digest())
                    .addKeyValue("error", e.getMessage())
                    .log("module not cached");
        }
    }

    /**
     * Opens the cached module for another replica, which checks the digest. Empty when this replica has not used the module, or
     * does not have it in its cache.
     */
    public Optional<FileChannel> open(String digest) throws IOException {
        var key = keys.get(Digest.hex(digest));
        return key == null ? Optional.empty() : cache.open(key, ORIGINAL);
    }

    /** Returns why the last cache write for this module failed, if it did. */
    public Optional<String> writeFailure(String digest) {
        return Optional.ofNullable(writeFailures.get(digest));
    }

    /** Whether the cache contains the module and its compiled form. Signatures are checked on reading. */
    public boolean isCached(String url, String digest, String fingerprint) {
        var key = key(url, digest);
        return cache.holds(key, ORIGINAL) && cache.holds(key, new CachedFile.Optimized(fingerprint));
    }

    /** Marks the compiled form of a module as used, so that garbage collection keeps it. */
    public void touch(String digest, Set<String> fingerprints) {
        var key = keys.get(Digest.hex(digest));
        if (key != null) {
            fingerprints.forEach(fingerprint -> cache.touch(key, new CachedFile.Optimized(fingerprint)));
        }
    }

    public int collectGarbage(Set<String> digests, Set<String> fingerprints, Duration age) {
        return cache.collectGarbage(digests, fingerprints, age);
    }

    @Override
    public Optional<byte[]> find(String digest, String fingerprint) {
        var key = keys.get(digest);
        if (key == null) {
            return Optional.empty();
        }
        try {
            return cache.find(key, new CachedFile.Optimized(fingerprint)) instanceof CacheLookup.Found(var bytes)
                    ? Optional.of(bytes)
                    : Optional.empty();
        } catch (ArtifactException e) {
            log.atWarn()
                    .addKeyValue("digest", digest)
                    .addKeyValue("error", e.getMessage())
                    .log("cache not readable");
            return Optional.empty();
        }
    }

    @Override
    public void store(String digest, String fingerprint, byte[] compiled) {
        var key = keys.get(digest);
        if (key != null) {
            write(key, new CachedFile.Optimized(fingerprint), compiled);
        }
    }
}
