package io.portcullis.evaluator.host;

import io.portcullis.wasm.Deadline;

/**
 * Answers requests that have passed every gate. {@link LiveBackend} asks the world, {@link CachedBackend} remembers,
 * and the sessions of {@code kwctl} record and replay at this seam.
 */
@FunctionalInterface
public interface HostBackend {

    /**
     * @param deadline when the caller stops waiting
     * @return JSON that belongs to the backend: callers must not write into the array. A list of Kubernetes objects is
     *     the same array again as long as nothing has changed.
     * @throws HostCallException with the reason, without a prefix
     */
    byte[] answer(HostRequest request, Deadline deadline);
}
