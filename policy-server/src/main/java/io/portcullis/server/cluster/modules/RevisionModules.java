package io.portcullis.server.cluster.modules;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.PinnedModules;
import io.portcullis.artifacts.cache.CacheKey;
import io.portcullis.artifacts.cache.CacheLookup;
import io.portcullis.artifacts.cache.CachedFile;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.server.cluster.Causes;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Modules of revisions by digest: from the signed cache if it has them, else from where they come from, and then they are
 * put into the cache. Its other side is where the engine finds and leaves compiled code. Thread-safe.
 */
public final class RevisionModules implements CompiledModuleCache {

    private static final Logger log = LoggerFactory.getLogger(RevisionModules.class);
    private static final CachedFile ORIGINAL = new CachedFile.Original();

    private final SharedCache cache;
    private final PinnedModules source;
    /** The engine knows modules by digest alone, the cache also by where they come from. */
    private final Map<String, CacheKey> keys = new ConcurrentHashMap<>();

    private final Map<String, ReentrantLock> downloads = new ConcurrentHashMap<>();
    private final Map<String, String> writeFailures = new ConcurrentHashMap<>();

    public RevisionModules(SharedCache cache, PinnedModules source) {
        this.cache = cache;
        this.source = source;
    }

    /** Whether signatures are verified when a reference is resolved. */
    public boolean isVerifying() {
        return source.verifies();
    }

    /**
     * The digest of the module that a reference stands for now, its signatures verified as configured.
     *
     * @throws ArtifactException as {@link PinnedModules#resolve}
     */
    public String resolve(String url) {
        var resolved = source.verifies() ? verified(url) : source.resolve(url);
        resolved.wasm().ifPresent(wasm -> keep(key(url, resolved.digest()), wasm));
        return resolved.digest();
    }

    /** Logs what Kubewarden's policy server logs, since people search for these words. */
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
                        .addKeyValue("error", Causes.sanitize(String.valueOf(e.getMessage())))
                        .log("policy cannot be verified");
            }
            throw e;
        }
    }

    /**
     * Whether a module that was resolved before may be used again without asking where it comes from. Not when signatures
     * are asked for: whom to trust may have changed since.
     */
    public boolean isTrusted(String url, String digest) {
        return !source.verifies() && cache.holds(key(url, digest), ORIGINAL);
    }

    /**
     * Why the verification config does not accept a module that was resolved earlier. Empty: it does, or there is none.
     *
     * @throws ArtifactException when that cannot be found out now
     */
    public Optional<String> refusal(String url, String digest) {
        if (!source.verifies()) {
            return Optional.empty();
        }
        try {
            return resolve(url).equals(digest) ? Optional.empty() : Optional.of(standsForAnother(url, digest));
        } catch (ArtifactException e) {
            if (e.reason() != Reason.SIGNATURE) {
                throw e;
            }
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static String standsForAnother(String url, String digest) {
        return url + " no longer stands for " + digest + ", so that its signature cannot be verified any more";
    }

    /**
     * The module with this digest, as an older revision had it. If signatures are asked for and the cache no longer vouches
     * for it, the reference must still stand for it.
     */
    public byte[] pinned(String url, String digest) {
        if (source.verifies()
                && !cache.holds(key(url, digest), ORIGINAL)
                && !resolve(url).equals(digest)) {
            throw new ArtifactException(Reason.SIGNATURE, standsForAnother(url, digest));
        }
        return bytes(url, digest);
    }

    /**
     * The bytes with this digest.
     *
     * @throws ArtifactException {@code CACHE_INTEGRITY} when the cached file was changed and there is no other copy
     */
    public byte[] bytes(String url, String digest) {
        var key = key(url, digest);
        return switch (cache.find(key, ORIGINAL)) {
            case CacheLookup.Found(var wasm) when Digest.matches(digest, wasm) -> wasm;
            case CacheLookup.Found _, CacheLookup.Absent _ -> fetch(url, key);
            case CacheLookup.Rejected(var why) -> {
                try {
                    yield fetch(url, key);
                } catch (ArtifactException e) {
                    throw new ArtifactException(
                            Reason.CACHE_INTEGRITY,
                            "the cached module was changed (" + why + ") and cannot be had again: " + e.getMessage(),
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
            var wasm = source.fetch(url, key.digest());
            if (source.verifies()) {
                log.atInfo()
                        .addKeyValue("policy", url)
                        .addKeyValue("sha256sum", key.digest())
                        .addKeyValue("status", "verified-local-checksum")
                        .log("Local file checksum verification passed");
            }
            keep(key, wasm);
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

    /** What cannot be kept can still be used by whoever has it in hand. */
    private void keep(CacheKey key, byte[] wasm) {
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

    /** Why the last attempt to cache something of this module failed, if it did. */
    public Optional<String> writeFailure(String digest) {
        return Optional.ofNullable(writeFailures.get(digest));
    }

    /** Whether both the module and its compiled form are there; their signatures are checked when they are read. */
    public boolean isCached(String url, String digest, String fingerprint) {
        var key = key(url, digest);
        return cache.holds(key, ORIGINAL) && cache.holds(key, new CachedFile.Optimized(fingerprint));
    }

    /** Keeps garbage collection away from the compiled form of a module that this process uses. */
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
