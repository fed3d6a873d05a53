package io.portcullis.controller.policy.observe;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import io.portcullis.core.lifecycle.Observed;
import io.portcullis.core.lifecycle.Revision;
import io.portcullis.core.precedence.PrecedenceOutcome;
import io.portcullis.core.status.Facts.Fidelity;
import java.util.List;
import java.util.Optional;

/**
 * One policy and all related state that decisions need, at one point in time.
 *
 * @param policyId its unique name
 * @param defect why its spec is unusable, although the API server accepted it
 * @param conflictsWith older policies that own the same unique name
 * @param precedence the effect of other policies with the same precedence key
 * @param revisions of this policy under this name
 * @param webhooks the policy's own webhooks, the effective one first; two while the kind changes
 * @param fidelity how the effective webhook compares with the desired one of its revision; absent without webhook
 * @param observed the same state as input for the plan
 */
public record Observation(
        Policy policy,
        String policyId,
        Optional<String> defect,
        List<String> conflictsWith,
        PrecedenceOutcome precedence,
        List<PolicyRevision> revisions,
        List<LiveWebhook> webhooks,
        Optional<Fidelity> fidelity,
        Observed observed) {

    public Observation {
        conflictsWith = List.copyOf(conflictsWith);
        revisions = List.copyOf(revisions);
        webhooks = List.copyOf(webhooks);
    }

    public long generation() {
        return observed.policy().generation();
    }

    public Optional<LiveWebhook> webhook() {
        return webhooks.stream().findFirst();
    }

    /** The revision of a generation as input for decisions. */
    public Optional<Revision> read(long generation) {
        return observed.revisions().stream()
                .filter(revision -> revision.generation() == generation)
                .findFirst();
    }

    public Optional<PolicyRevision> revision(long generation) {
        return revisions.stream()
                .filter(revision -> revision.getSpec().policyGeneration() == generation)
                .findFirst();
    }

    public PolicyRevision revision(String name) {
        return revisions.stream()
                .filter(revision -> revision.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("revision " + name + " no longer exists"));
    }
}
