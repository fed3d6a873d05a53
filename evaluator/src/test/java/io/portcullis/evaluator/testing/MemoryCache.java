package io.portcullis.evaluator.testing;

import io.portcullis.evaluator.cache.CompiledModuleCache;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Caches compiled modules in memory. */
public final class MemoryCache implements CompiledModuleCache {

    private final Map<String, byte[]> modules = new ConcurrentHashMap<>();

    @Override
    public Optional<byte[]> find(String digest, String fingerprint) {
        return Optional.ofNullable(modules.get(digest + fingerprint));
    }

    @Override
    public void store(String digest, String fingerprint, byte[] compiled) {
        modules.put(digest + fingerprint, compiled);
    }

    public int size() {
        return modules.size();
    }

    /** Corrupts all cache entries. */
    public void truncate() {
        modules.replaceAll((_, bytes) -> Arrays.copyOf(bytes, 10));
    }
}
