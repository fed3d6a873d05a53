package io.portcullis.server.cluster;

import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.server.preparation.quarantine.Quarantine;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases quarantined modules that an operator names in an annotation of the PolicyServer. Each digest is released once;
 * to release it again, remove it from the annotation first. Thread-safe.
 */
final class QuarantineRelease {

    private static final Logger log = LoggerFactory.getLogger(QuarantineRelease.class);
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Quarantine quarantine;
    private final Supplier<Map<String, String>> annotations;
    private final ReentrantLock lock = new ReentrantLock();
    private Set<String> alreadyReleased = Set.of();
    private long nextAt = System.nanoTime();

    /** @param annotations reads the annotations of the PolicyServer from the API server */
    QuarantineRelease(Quarantine quarantine, Supplier<Map<String, String>> annotations) {
        this.quarantine = quarantine;
        this.annotations = annotations;
    }

    /**
     * Whether the caller must read the annotation now. Returns true at most once per interval, and only while a module is in
     * quarantine.
     */
    boolean isDue() {
        lock.lock();
        try {
            var now = System.nanoTime();
            if (now - nextAt < 0 || quarantine.held().isEmpty()) {
                return false;
            }
            nextAt = now + INTERVAL_NANOS;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** @return whether a module was released, so that the leader can retry its revisions */
    boolean release() {
        var requested = digests(annotations.get().getOrDefault(PolicyServerNames.RELEASE_QUARANTINE_ANNOTATION, ""));
        lock.lock();
        try {
            var released = requested.stream()
                    .filter(digest -> !alreadyReleased.contains(digest))
                    .filter(quarantine::release)
                    .toList();
            alreadyReleased = requested;
            released.forEach(
                    digest -> log.atInfo().addKeyValue("digest", digest).log("module released from quarantine"));
            return !released.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Parses digests with or without {@code sha256:}, separated by commas or spaces. */
    static Set<String> digests(String annotation) {
        return Arrays.stream(annotation.split("[,\\s]+"))
                .map(digest -> digest.startsWith("sha256:") ? digest.substring("sha256:".length()) : digest)
                .filter(digest -> !digest.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }
}
