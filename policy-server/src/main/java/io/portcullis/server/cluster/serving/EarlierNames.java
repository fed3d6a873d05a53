package io.portcullis.server.cluster.serving;

import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.PolicyRevisionSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Maps the names that policies had under other identity schemes to their current names. Webhooks that an earlier release
 * registered call those names. The server answers them until the controller has registered the webhooks again.
 */
final class EarlierNames {

    private EarlierNames() {}

    /**
     * Returns the current name for each earlier name. Omits a name that several policies may have had: a request of one
     * tenant must not reach the policy of another.
     */
    static Map<String, String> of(Collection<PolicyRevisionSpec> revisions) {
        var names = new HashMap<String, String>();
        Set<String> ambiguous = new HashSet<>();
        for (var revision : revisions) {
            policy(revision).ifPresent(policy -> {
                for (var scheme : IdentityScheme.values()) {
                    var id = names.putIfAbsent(scheme.policyId(policy), revision.policyID());
                    if (id != null && !id.equals(revision.policyID())) {
                        ambiguous.add(scheme.policyId(policy));
                    }
                }
            });
        }
        names.keySet().removeAll(ambiguous);
        names.entrySet().removeIf(name -> name.getKey().equals(name.getValue()));
        return Map.copyOf(names);
    }

    private static Optional<PolicyRef> policy(PolicyRevisionSpec revision) {
        var reference = revision.objectReference();
        return PolicyKind.parse(reference.kind())
                .map(kind ->
                        new PolicyRef(kind, Objects.requireNonNullElse(reference.namespace(), ""), reference.name()));
    }
}
