package io.portcullis.controller.admission.rules;

import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.admission.Admission;
import io.portcullis.controller.admission.AdmissionVerdict;
import io.portcullis.controller.admission.ResourceReview;
import io.portcullis.core.validation.PolicyRevisionValidation;
import java.util.Set;

/**
 * Admission of PolicyRevisions: only the controller may write them. Kubernetes itself may delete them; otherwise a
 * namespace could never be deleted.
 *
 * @param controller the user name of this process at the API server
 */
record PolicyRevisionAdmission(PolicyRevisionValidation rules, String controller) implements Admission {

    private static final Set<String> KUBERNETES_CONTROLLERS = Set.of(
            "system:serviceaccount:kube-system:namespace-controller",
            "system:serviceaccount:kube-system:generic-garbage-collector");

    @Override
    public AdmissionVerdict decide(ResourceReview review) {
        boolean isController = review.user().name().equals(controller);
        return AdmissionVerdict.of(
                switch (review.operation()) {
                    case CREATE -> rules.create(ResourceReview.as(review.object(), PolicyRevision.class), isController);
                    case UPDATE ->
                        rules.update(
                                ResourceReview.as(review.object(), PolicyRevision.class),
                                ResourceReview.as(review.old(), PolicyRevision.class),
                                isController);
                    case DELETE ->
                        rules.delete(isController
                                || KUBERNETES_CONTROLLERS.contains(review.user().name()));
                });
    }
}
