package io.portcullis.server.cluster;

import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.server.preparation.Quarantine;
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
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(15);

    private final Quarantine quarantine;
    private final Supplier<Map<String, String>> annotations;
    private final ReentrantLock lock = new ReentrantLock();
    private Set<String> done = Set.of();
    private long nextAt = System.nanoTime();

    /** @param annotations of the PolicyServer, as the API server has them now */
    QuarantineRelease(Quarantine quarantine, Supplier<Map<String, String>> annotations) {
        this.quarantine = quarantine;
        this.annotations = annotations;
    }

    /** Whether the annotation is to be read now; true at most once in some seconds, and only while a module is held. */
    boolean takeTurn() {
        lock.lock();
        try {
            var now = System.nanoTime();
            if (now - nextAt < 0 || quarantine.held().isEmpty()) {
                return false;
            }
            nextAt = now + INTERVAL;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** @return whether a module was released, so that its revisions can be tried again */
    boolean release() {
        var asked = digests(annotations.get().getOrDefault(PolicyServerNames.RELEASE_QUARANTINE_ANNOTATION, ""));
        lock.lock();
        try {
            var released = asked.stream()
                    .filter(digest -> !done.contains(digest))
                    .filter(quarantine::release)
                    .toList();
            done = asked;
            released.forEach(
                    digest -> log.atInfo().addKeyValue("digest", digest).log("module released from quarantine"));
            return !released.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Digests with or without {@code sha256:}, with commas or spaces between. */
    static Set<String> digests(String annotation) {
        return Arrays.stream(annotation.split("[,\\s]+"))
                .map(word -> word.startsWith("sha256:") ? word.substring("sha256:".length()) : word)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }
}
