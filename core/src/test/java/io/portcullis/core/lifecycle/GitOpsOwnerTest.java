package io.portcullis.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.testkit.sample.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GitOpsOwnerTest {

    private static ManagedFieldsEntry entry(String manager, String field, @Nullable String subresource) {
        var fields = new FieldsV1();
        fields.setAdditionalProperties(Map.of(field, Map.of("f:module", Map.of())));
        return new ManagedFieldsEntryBuilder()
                .withManager(manager)
                .withOperation("Apply")
                .withSubresource(subresource)
                .withFieldsV1(fields)
                .build();
    }

    private static Optional<String> warning(ManagedFieldsEntry... entries) {
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        policy.getMetadata().setManagedFields(List.of(entries));
        return GitOpsOwner.warning(policy);
    }

    @ParameterizedTest
    @CsvSource({
        "argocd-controller, f:spec, , Argo CD",
        "argocd-application-controller, f:spec, , Argo CD",
        "kustomize-controller, f:spec, , Flux",
        "helm-controller, f:spec, '', Flux",
        "kustomize-controller, f:metadata, , ",
        "kustomize-controller, f:spec, status, ",
        "kubectl-client-side-apply, f:spec, , ",
        "helm, f:spec, , ",
    })
    void warnsOfToolsThatOwnTheSpec(String manager, String field, @Nullable String subresource, @Nullable String tool) {
        assertThat(warning(entry(manager, field, subresource)))
                .isEqualTo(Optional.ofNullable(tool)
                        .map(name -> "the spec of this policy is managed by " + name + " (field manager " + manager
                                + "), which will apply the content of Git again;"
                                + " roll back in Git too, or suspend the synchronisation first"));
    }

    @Test
    void namesEachToolOnceAndAcceptsPoliciesWithoutManagers() {
        assertThat(warning(
                        entry("kustomize-controller", "f:spec", null),
                        entry("argocd-controller", "f:spec", null),
                        entry("argocd-controller", "f:spec", null)))
                .hasValueSatisfying(
                        text -> assertThat(text)
                                .contains(
                                        "by Argo CD (field manager argocd-controller) and Flux (field manager kustomize-controller), which"));
        assertThat(warning(new ManagedFieldsEntry())).isEmpty();
        assertThat(GitOpsOwner.warning(Samples.sample(PolicyKind.ADMISSION_POLICY.type())))
                .isEmpty();
    }
}
