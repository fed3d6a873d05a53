package io.portcullis.controller.admission.rules;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.controller.admission.Admission;
import io.portcullis.controller.admission.AdmissionVerdict;
import io.portcullis.controller.admission.ResourceReview;
import io.portcullis.core.lifecycle.Revision;
import io.portcullis.core.validation.FieldError;
import io.portcullis.core.validation.PolicyValidation;
import io.portcullis.core.validation.Validation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Admission of policies of one kind. Applies the rules of {@code api}, then checks the expression of a group, the
 * tenancy rules, and the webhook by a dry run.
 *
 * @param revisions of a policy, by its UID
 */
record PolicyAdmission(
        Class<? extends Policy> type,
        PolicyValidation rules,
        ClusterFacts facts,
        Function<String, List<PolicyRevision>> revisions,
        TenancyAdmission tenancy,
        WebhookDryRun trial)
        implements Admission {

    @Override
    public AdmissionVerdict decide(ResourceReview review) {
        return AdmissionVerdict.of(
                switch (review.operation()) {
                    case CREATE -> {
                        var policy = ResourceReview.as(review.object(), type);
                        yield withRemainingChecks(policy, Optional.empty(), rules.create(policy));
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
            return Validation.FINE; // its finalizer must be removable, even if the policy is now invalid
        }
        var change = new PolicyValidation.Change(
                isMoved(policy, old) && facts.mayDelete(user, policy.ref()), retained(policy));
        var validated = rules.update(policy, old, change);
        // An unchanged spec was checked before; an API server of another version must not block updates of it.
        return policy.getSpec().equals(old.getSpec())
                ? validated
                : withRemainingChecks(policy, Optional.of(old), validated);
    }

    /** Whether the policy moves to another server; only then the permission to delete matters. */
    private static boolean isMoved(Policy policy, Policy old) {
        try {
            var from = old.read().placement().policyServer();
            return !from.isEmpty() && !from.equals(policy.read().placement().policyServer());
        } catch (FlatObject.MalformedException e) {
            return false;
        }
    }

    /** The retained revisions; read only for a rollback request. */
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

    /**
     * Adds the remaining checks. Stops at the first check with errors, because later ones would report the same problem
     * again.
     */
    private Validation withRemainingChecks(Policy policy, Optional<Policy> old, Validation validated) {
        var errors = new ArrayList<FieldError>(validated.errors());
        GroupExpressions.check(policy).ifPresent(errors::add);
        if (errors.isEmpty()) {
            errors.addAll(tenancy.check(policy));
        }
        if (errors.isEmpty()) {
            errors.addAll(trial.check(policy, old));
        }
        return new Validation(errors, validated.warnings());
    }

    /** The index of {@link #revisions}. */
    static List<String> policyUid(PolicyRevision revision) {
        var labels = Objects.requireNonNullElse(revision.getMetadata().getLabels(), Map.<String, String>of());
        var uid = labels.get(RevisionNames.POLICY_UID);
        return uid == null ? List.of() : List.of(uid);
    }
}
