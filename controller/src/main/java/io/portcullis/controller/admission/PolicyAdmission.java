package io.portcullis.controller.admission;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.lifecycle.Revision;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.api.validation.FieldError;
import io.portcullis.api.validation.PolicyValidation;
import io.portcullis.api.validation.Validation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Admission of policies of one kind: the rules of {@code api}, then what they leave to others: the expression of a group,
 * and what the API server itself thinks of the webhook.
 *
 * @param revisions of a policy, by its UID
 */
record PolicyAdmission(
        Class<? extends Policy> type,
        PolicyValidation rules,
        ClusterFacts facts,
        Function<String, List<PolicyRevision>> revisions,
        TenancyAdmission tenancy,
        WebhookTrial trial)
        implements Admission {

    @Override
    public AdmissionVerdict judge(ResourceReview review) {
        return AdmissionVerdict.of(
                switch (review.operation()) {
                    case CREATE -> {
                        var policy = ResourceReview.as(review.object(), type);
                        yield whole(policy, Optional.empty(), rules.create(policy));
                    }
                    case UPDATE ->
                        update(
                                ResourceReview.as(review.object(), type),
                                ResourceReview.as(review.old(), type),
                                review.user());
                    case DELETE -> Validation.FINE;
                });
    }

    private Validation update(Policy policy, Policy old, ResourceReview.User user) {
        if (policy.isMarkedForDeletion()) {
            return Validation.FINE; // it must be able to lose its finalizer, whatever it has become
        }
        var change = new PolicyValidation.Change(
                isMoved(policy, old) && facts.mayDelete(user, policy.ref()), retained(policy));
        var judged = rules.update(policy, old, change);
        // What did not change was tried before; API servers of other versions must not lock it in.
        return policy.getSpec().equals(old.getSpec()) ? judged : whole(policy, Optional.of(old), judged);
    }

    /** Who may delete is only of interest then. */
    private static boolean isMoved(Policy policy, Policy old) {
        try {
            var from = old.read().placement().policyServer();
            return !from.isEmpty() && !from.equals(policy.read().placement().policyServer());
        } catch (FlatObject.MalformedException e) {
            return false;
        }
    }

    /** Asked for only when somebody wants to go back. */
    private List<Revision> retained(Policy policy) {
        var annotations = Objects.requireNonNullElse(policy.getMetadata().getAnnotations(), Map.<String, String>of());
        if (!annotations.containsKey(PolicyNames.ROLLBACK_TO)) {
            return List.of();
        }
        return revisions.apply(Objects.requireNonNullElse(policy.getMetadata().getUid(), "")).stream()
                .filter(revision -> revision.getSpec().isIntact())
                .map(Revision::of)
                .toList();
    }

    /** Adds what the rules leave to others; when they already found something that would only be said twice. */
    private Validation whole(Policy policy, Optional<Policy> old, Validation judged) {
        var errors = new ArrayList<FieldError>(judged.errors());
        GroupExpressions.check(policy).ifPresent(errors::add);
        if (errors.isEmpty()) {
            errors.addAll(tenancy.check(policy));
        }
        if (errors.isEmpty()) {
            errors.addAll(trial.check(policy, old));
        }
        return new Validation(errors, judged.warnings());
    }

    /** The index of {@link #revisions}. */
    static List<String> policyUid(PolicyRevision revision) {
        var labels = Objects.requireNonNullElse(revision.getMetadata().getLabels(), Map.<String, String>of());
        var uid = labels.get(RevisionNames.POLICY_UID);
        return uid == null ? List.of() : List.of(uid);
    }
}
