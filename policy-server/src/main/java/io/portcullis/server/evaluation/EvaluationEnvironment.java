package io.portcullis.server.evaluation;

import io.portcullis.api.evidence.ServedGeneration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The environment of the moment behind one reference. Readers take no lock; who swaps closes the policies that are no
 * longer in it, after the swap. A reader that still holds one of those is told so by the policy and looks again.
 */
public final class EvaluationEnvironment {

    private final AtomicReference<Environment> now = new AtomicReference<>(Environment.EMPTY);

    public void swap(Environment next) {
        now.set(next);
    }

    public Optional<ServedPolicy> find(PolicyAddress address) {
        return now.get().find(address);
    }

    /** What is served, from the very table that requests are answered from. */
    public List<ServedGeneration> proofs() {
        return now.get().proofs();
    }

    public int loadedCount() {
        return now.get().loadedCount();
    }
}
