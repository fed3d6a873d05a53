package io.portcullis.controller.queue;

import java.time.Duration;
import java.util.Optional;

/** Brings what one key names from what is observed to what is wanted; called again whenever either may have changed. */
@FunctionalInterface
public interface Reconciler<K> {

    /**
     * One idempotent pass.
     *
     * @return when to look again though nothing is announced; an exception asks for a retry with backoff
     */
    Optional<Duration> reconcile(K key) throws Exception;
}
