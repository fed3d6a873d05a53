package io.portcullis.controller.queue;

import java.time.Duration;
import java.util.Optional;

/**
 * Moves the object of one key from the observed to the desired state. The queue calls it whenever either may have
 * changed.
 */
@FunctionalInterface
public interface Reconciler<K> {

    /**
     * Runs one idempotent pass.
     *
     * @return when to reconcile again without an event; an exception causes a retry with backoff
     */
    Optional<Duration> reconcile(K key) throws Exception;
}
