package io.portcullis.server.evaluation;

import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.LoadedPolicy;
import java.util.Optional;

/** What answers under a policy's name. */
public sealed interface RoutedPolicy {

    Revision revision();

    /** A definition of a policy, told apart from the ones before and after it. */
    record Revision(String id, long generation, PolicyMode mode) {}

    /**
     * Judges requests.
     *
     * @param proof what a replica in a cluster says it serves; the same object that answers is asked, so the two cannot
     *     differ
     */
    record Loaded(Revision revision, LoadedPolicy policy, Optional<ServedGeneration> proof) implements RoutedPolicy {

        public Loaded(Revision revision, LoadedPolicy policy) {
            this(revision, policy, Optional.empty());
        }
    }

    /** Never loaded: rejects everything with the reason, whatever its mode. */
    record Broken(Revision revision, String rejection) implements RoutedPolicy {}
}
