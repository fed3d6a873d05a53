package io.portcullis.evaluator.host;

import io.portcullis.wasm.Deadline;

/**
 * Answers requests that have passed every check. {@link LiveBackend} queries the real sources, {@link CachedBackend}
 * caches. The sessions of {@code kwctl} record and replay at this interface.
 */
@FunctionalInterface
public interface HostBackend {

    /**
     * @param deadline when the caller stops waiting
     * @return JSON that belongs to the backend: callers must not modify the array. For a list of Kubernetes
     *     objects, the same array is returned again as long as no object has changed.
     * @throws HostCallException with the reason, without a prefix
     */
    byte[] answer(HostRequest request, Deadline deadline);
}
