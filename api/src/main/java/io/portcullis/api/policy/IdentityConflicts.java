package io.portcullis.api.policy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds policies whose unique name already belongs to an older policy. */
public final class IdentityConflicts {

    private IdentityConflicts() {}

    /** The claim of a policy to its unique name. Policies that are being deleted have no claim. */
    public record Claim(PolicyRef policy, Instant createdAt) {}

    /**
     * Returns, for each conflicted policy, the policies that precede it. The order is total, even for policies created in the
     * same second: older first, then by kind, namespace and name.
     */
    public static Map<PolicyRef, List<PolicyRef>> find(IdentityScheme scheme, Collection<Claim> claims) {
        Map<String, List<Claim>> byName = new HashMap<>();
        for (Claim claim : claims) {
            byName.computeIfAbsent(scheme.policyId(claim.policy()), _ -> new ArrayList<>())
                    .add(claim);
        }
        Map<PolicyRef, List<PolicyRef>> conflicts = new TreeMap<>();
        for (List<Claim> claimants : byName.values()) {
            var order = claimants.stream()
                    .sorted(Comparator.comparing(Claim::createdAt).thenComparing(Claim::policy))
                    .map(Claim::policy)
                    .toList();
            for (int i = 1; i < order.size(); i++) {
                conflicts.put(order.get(i), order.subList(0, i));
            }
        }
        return conflicts;
    }
}
