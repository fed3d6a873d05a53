package io.portcullis.core.lifecycle;

import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.portcullis.api.policy.Policy;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds GitOps tools that own the spec of a policy, by the policy's field managers. Such a tool applies the content of Git
 * again, which ends a rollback.
 */
public final class GitOpsOwner {

    /** The product of each known field manager. Other names of managers are text of clients and never shown. */
    private static final Map<String, String> TOOLS = Map.of(
            "argocd-controller", "Argo CD",
            "argocd-application-controller", "Argo CD",
            "kustomize-controller", "Flux",
            "helm-controller", "Flux");

    private GitOpsOwner() {}

    /** Returns the warning for the user who requests a rollback of this policy. */
    public static Optional<String> warning(Policy policy) {
        var managedFields = policy.getMetadata().getManagedFields();
        if (managedFields == null) {
            return Optional.empty();
        }
        var owners = managedFields.stream()
                .filter(GitOpsOwner::ownsSpec)
                .map(ManagedFieldsEntry::getManager)
                .filter(manager -> manager != null && TOOLS.containsKey(manager))
                .distinct()
                .sorted()
                .map(manager -> TOOLS.get(manager) + " (field manager " + manager + ")")
                .collect(Collectors.joining(" and "));
        return owners.isEmpty()
                ? Optional.empty()
                : Optional.of("the spec of this policy is managed by " + owners
                        + ", which will apply the content of Git again;"
                        + " roll back in Git too, or suspend the synchronisation first");
    }

    private static boolean ownsSpec(ManagedFieldsEntry entry) {
        return Objects.requireNonNullElse(entry.getSubresource(), "").isEmpty()
                && entry.getFieldsV1() != null
                && entry.getFieldsV1().getAdditionalProperties().containsKey("f:spec");
    }
}
