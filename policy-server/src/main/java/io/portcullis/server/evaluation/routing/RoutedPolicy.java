package io.portcullis.server.evaluation.routing;

import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.LoadedPolicy;
import java.util.Optional;

/** An entry of the routing table: answers requests for one generation of a policy. */
public sealed interface RoutedPolicy {

    Revision revision();

    /** Identifies one generation of a policy. */
    record Revision(String id, long generation, PolicyMode mode) {}

    /**
     * A loaded policy, which evaluates requests.
     *
     * @param proof the evidence that a replica in a cluster reports. It is part of the entry that answers requests, so the
     *     two cannot differ
     */
    record Loaded(Revision revision, LoadedPolicy policy, Optional<ServedGeneration> proof) implements RoutedPolicy {

        public Loaded(Revision revision, LoadedPolicy policy) {
            this(revision, policy, Optional.empty());
        }
    }

    /** A policy that has never been loaded. It rejects every request with this text, in every mode. */
    record Broken(Revision revision, String rejection) implements RoutedPolicy {}
}
