package io.portcullis.evaluator.cache;

import java.util.Optional;

/**
 * Holds compiled modules by the SHA-256 of the original module and the fingerprint of the engine. Thread-safe.
 *
 * <p>The engine executes what {@link #find} returns without looking: an implementation returns only bytes that it can
 * prove to be unchanged since a trusted process stored them. When in doubt it returns nothing; the module is then
 * compiled again. Neither method throws for a cache that is broken, full or unreadable.
 */
public interface CompiledModuleCache {

    /** Remembers nothing. */
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
