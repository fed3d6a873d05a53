package io.portcullis.api.revision;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.revision.PolicyRevisionSpec.PinnedArtifact;
import io.portcullis.api.revision.PolicyRevisionSpec.PolicyReference;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Builds the revision of a policy's current generation.
 *
 * @param namespace the controller's namespace, which contains all revisions
 */
public record DesiredRevision(IdentityScheme scheme, String namespace) {

    /** Freezes the policy's current generation. */
    public PolicyRevision of(Policy policy) {
        return of(policy, OptionalLong.empty(), List.of());
    }

    /** Freezes the policy's current generation, which restores {@code rollbackOf} with the same module digests. */
    public PolicyRevision of(Policy policy, OptionalLong rollbackOf, List<PinnedArtifact> pinnedArtifacts) {
        var ref = policy.ref();
        var metadata = policy.getMetadata();
        long generation = metadata.getGeneration();
        var policyId = scheme.policyId(ref);
        var data = data(policy.getSpec());

        var revision = new PolicyRevision();
        revision.setMetadata(new ObjectMetaBuilder()
                .withName(RevisionNames.name(policyId, metadata.getUid(), generation))
                .withNamespace(namespace)
                .withLabels(Map.of(
                        RevisionNames.POLICY_SERVER,
                        policy.read().placement().policyServer(),
                        RevisionNames.POLICY_UID,
                        metadata.getUid(),
                        RevisionNames.POLICY_GENERATION,
                        Long.toString(generation),
                        RevisionNames.POLICY_KIND,
                        ref.kind().wireName(),
                        PolicyNames.PART_OF,
                        PolicyNames.PART_OF_VALUE,
                        "app.kubernetes.io/component",
                        "policy-revision",
                        "app.kubernetes.io/managed-by",
                        "kubewarden-controller"))
                .build());
        revision.setSpec(new PolicyRevisionSpec(
                new PolicyReference(
                        PolicyKind.GROUP + "/" + PolicyKind.VERSION,
                        ref.kind().wireName(),
                        ref.namespace().isEmpty() ? null : ref.namespace(),
                        ref.name(),
                        metadata.getUid()),
                generation,
                policyId,
                true,
                false,
                data,
                CanonicalJson.digest(data),
                pinnedArtifacts,
                rollbackOf.isPresent() ? rollbackOf.getAsLong() : null));
        return revision;
    }

    private static ObjectNode data(ObjectNode spec) {
        var data = JsonNodeFactory.instance.objectNode();
        data.set("spec", spec.deepCopy());
        return data;
    }
}
