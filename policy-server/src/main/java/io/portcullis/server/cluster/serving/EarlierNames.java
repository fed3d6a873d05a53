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
 * The names that policies had under other identity schemes. Webhooks that an earlier release registered lead there, and
 * are answered until the controller has registered them anew.
 */
final class EarlierNames {

    private EarlierNames() {}

    /** The name that each stands for today. One that several policies may have had stands for none: tenants must not meet. */
    static Map<String, String> of(Collection<PolicyRevisionSpec> revisions) {
        var names = new HashMap<String, String>();
        Set<String> disputed = new HashSet<>();
        for (var revision : revisions) {
            policy(revision).ifPresent(policy -> {
                for (var scheme : IdentityScheme.values()) {
                    var id = names.putIfAbsent(scheme.policyId(policy), revision.policyID());
                    if (id != null && !id.equals(revision.policyID())) {
                        disputed.add(scheme.policyId(policy));
                    }
                }
            });
        }
        names.keySet().removeAll(disputed);
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
