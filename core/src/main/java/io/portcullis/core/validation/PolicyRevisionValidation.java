package io.portcullis.core.validation;

import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;

/**
 * Admission of PolicyRevisions. Only the controller may write them. Status updates use the subresource, which RBAC protects
 * and this class does not check.
 *
 * @param namespace the controller's namespace, the only namespace in which revisions are allowed
 */
public record PolicyRevisionValidation(String namespace) {

    public Validation create(PolicyRevision revision, boolean isController) {
        if (!isController) {
            return onlyController();
        }
        if (!namespace.equals(revision.getMetadata().getNamespace())) {
            return Validation.refused(FieldError.invalid(
                    "metadata.namespace",
                    String.valueOf(revision.getMetadata().getNamespace()),
                    "revisions must be in namespace " + namespace));
        }
        return revision.getSpec().isIntact()
                ? Validation.FINE
                : Validation.refused(FieldError.invalid(
                        "spec.dataHash", revision.getSpec().dataHash(), "is not the digest of spec.data"));
    }

    /** Admits an update only if nothing but {@code enabled} and {@code active} changes. */
    public Validation update(PolicyRevision revision, PolicyRevision old, boolean isController) {
        if (!isController) {
            return onlyController();
        }
        return withSwitchesOf(revision.getSpec(), old.getSpec()).equals(revision.getSpec())
                ? Validation.FINE
                : Validation.refused(FieldError.forbidden("spec", "only enabled and active may change"));
    }

    public Validation delete(boolean isController) {
        return isController ? Validation.FINE : onlyController();
    }

    private static Validation onlyController() {
        return Validation.refused(FieldError.forbidden(
                "spec", "PolicyRevisions are managed by the controller; change the policy instead"));
    }

    private static PolicyRevisionSpec withSwitchesOf(PolicyRevisionSpec switches, PolicyRevisionSpec spec) {
        return new PolicyRevisionSpec(
                spec.objectReference(),
                spec.policyGeneration(),
                spec.policyID(),
                switches.enabled(),
                switches.active(),
                spec.data(),
                spec.dataHash(),
                spec.pinnedArtifacts(),
                spec.rollbackOf());
    }
}
