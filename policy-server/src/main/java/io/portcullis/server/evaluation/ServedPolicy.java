package io.portcullis.server.evaluation;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.Policy;

/** What answers under a policy's name. */
public sealed interface ServedPolicy {

    Revision revision();

    /** A definition of a policy, told apart from the ones before and after it. */
    record Revision(String id, long generation, PolicyMode mode) {}

    /** Judges requests. */
    record Loaded(Revision revision, Policy policy) implements ServedPolicy {}

    /** Never loaded: rejects everything with the reason, whatever its mode. */
    record Broken(Revision revision, String rejection) implements ServedPolicy {}
}
