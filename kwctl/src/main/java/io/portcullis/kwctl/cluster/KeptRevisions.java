package io.portcullis.kwctl.cluster;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.core.lifecycle.History;
import java.util.List;
import java.util.function.Supplier;

/**
 * Finds the generations of a policy that are kept. The status of the policy lists them, so that owners need no access to
 * revisions. A controller of an earlier release does not list them; then the revisions are read.
 */
final class KeptRevisions {

    private KeptRevisions() {}

    /** @param stored reads the revisions; called only when the status lists none */
    static Reading<List<RevisionSummary>> of(Policy policy, Supplier<Reading<List<PolicyRevision>>> stored) {
        var listed = PolicyReport.status(policy).revisions();
        return listed.isEmpty()
                ? stored.get()
                        .map(revisions -> History.summaries(
                                revisions,
                                revision -> revision.getSpec().isIntact(),
                                Diagnosis.generation(policy),
                                PolicyMode.of(PolicyReport.specMode(policy))))
                : new Reading.Seen<>(listed);
    }
}
