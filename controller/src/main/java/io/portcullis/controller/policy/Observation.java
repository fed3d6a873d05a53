package io.portcullis.controller.policy;

import io.portcullis.api.lifecycle.Observed;
import io.portcullis.api.lifecycle.Revision;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.precedence.PrecedenceOutcome;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts.Fidelity;
import java.util.List;
import java.util.Optional;

/**
 * One policy and everything around it that decisions need, at one moment.
 *
 * @param policyId its unique name
 * @param defect why its spec cannot be used, though the API server took it
 * @param conflictsWith older policies that own the same unique name
 * @param precedence what other policies of its key do to it
 * @param revisions of this policy under this name
 * @param webhooks those of its name that are its own, the one that counts first; two while the kind changes
 * @param fidelity how the webhook that counts compares with what its revision asks for; absent without webhook
 * @param observed the same for the plan
 */
record Observation(
        Policy policy,
        String policyId,
        Optional<String> defect,
        List<String> conflictsWith,
        PrecedenceOutcome precedence,
        List<PolicyRevision> revisions,
        List<LiveWebhook> webhooks,
        Optional<Fidelity> fidelity,
        Observed observed) {

    Observation {
        conflictsWith = List.copyOf(conflictsWith);
        revisions = List.copyOf(revisions);
        webhooks = List.copyOf(webhooks);
    }

    long generation() {
        return observed.policy().generation();
    }

    Optional<LiveWebhook> webhook() {
        return webhooks.stream().findFirst();
    }

    /** The revision of a generation as decisions see it. */
    Optional<Revision> read(long generation) {
        return observed.revisions().stream()
                .filter(revision -> revision.generation() == generation)
                .findFirst();
    }

    Optional<PolicyRevision> revision(long generation) {
        return revisions.stream()
                .filter(revision -> revision.getSpec().policyGeneration() == generation)
                .findFirst();
    }

    PolicyRevision revision(String name) {
        return revisions.stream()
                .filter(revision -> revision.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("revision " + name + " is not there any more"));
    }
}
