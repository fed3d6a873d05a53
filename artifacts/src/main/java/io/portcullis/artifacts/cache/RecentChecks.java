package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.source.Digest;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers signatures that verified recently. Hundreds of policies share a module, and each one reads and hashes it
 * again. The same signature over the same bytes does not need a second verification. Thread-safe.
 */
final class RecentChecks {

    /** Kept short because a certificate may expire. */
    private static final Duration MAX_AGE = Duration.ofMinutes(1);

    private static final int MAX_ENTRIES = 256;

    private record Check(String signature, Statement statement, CacheTrust trust) {}

    private final Map<Check, Instant> passed = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Check, Instant> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    /** @throws GeneralSecurityException with the reason why the signature is rejected */
    void check(byte[] signature, Statement statement, CacheTrust trust, Instant now) throws GeneralSecurityException {
        var check = new Check(Digest.sha256(signature), statement, trust);
        if (!passedRecently(check, now)) {
            DetachedSignature.parse(signature).check(statement.bytes(), trust, now);
            synchronized (passed) {
                passed.put(check, now);
            }
        }
    }

    private boolean passedRecently(Check check, Instant now) {
        synchronized (passed) {
            var at = passed.get(check);
            return at != null && Duration.between(at, now).abs().compareTo(MAX_AGE) < 0;
        }
    }
}
