package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.source.Digest;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Signatures that counted a moment ago: hundreds of policies share a module, and each reads and hashes it anew, but the same
 * signature over the same bytes need not be worked out for each. Thread-safe.
 */
final class RecentChecks {

    /** Not longer: a certificate may expire. */
    private static final Duration MOMENT = Duration.ofMinutes(1);

    private static final int MOST = 256;

    private record Check(String signature, Statement statement, CacheTrust trust) {}

    private final Map<Check, Instant> passed = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Check, Instant> eldest) {
            return size() > MOST;
        }
    };

    /** @throws GeneralSecurityException with the reason why it does not count */
    void check(byte[] signature, Statement statement, CacheTrust trust, Instant now) throws GeneralSecurityException {
        var check = new Check(Digest.sha256(signature), statement, trust);
        if (!hasJustPassed(check, now)) {
            DetachedSignature.parse(signature).check(statement.bytes(), trust, now);
            synchronized (passed) {
                passed.put(check, now);
            }
        }
    }

    private boolean hasJustPassed(Check check, Instant now) {
        synchronized (passed) {
            var at = passed.get(check);
            return at != null && Duration.between(at, now).abs().compareTo(MOMENT) < 0;
        }
    }
}
