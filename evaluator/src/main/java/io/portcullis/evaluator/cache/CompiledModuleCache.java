package io.portcullis.evaluator.cache;

import java.util.Optional;

/**
 * Caches compiled modules by the SHA-256 of the original module and the fingerprint of the engine. Thread-safe.
 *
 * <p>The engine executes the result of {@link #find} without verification. An implementation must return only bytes
 * that provably did not change since a trusted process stored them. In doubt it returns empty, and the module is
 * compiled again. Neither method throws if the cache is broken, full or unreadable.
 */
public interface CompiledModuleCache {

    /** A cache that stores nothing. */
    CompiledModuleCache NONE = new CompiledModuleCache() {
        @Override
        public Optional<byte[]> find(String digest, String fingerprint) {
            return Optional.empty();
        }

        @Override
        public void store(String digest, String fingerprint, byte[] compiled) {}
    };

    /** @param digest lower-case hexadecimal */
    Optional<byte[]> find(String digest, String fingerprint);

    void store(String digest, String fingerprint, byte[] compiled);
}
