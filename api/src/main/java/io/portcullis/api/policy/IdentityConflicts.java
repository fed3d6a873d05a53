package io.portcullis.api.policy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Who comes second: policies whose unique name already belongs to an older policy. */
public final class IdentityConflicts {

    private IdentityConflicts() {}

    /** A policy that wants its name, and since when. Policies that are being deleted make no claim. */
    public record Claim(PolicyRef policy, Instant createdAt) {}

    /**
     * For each policy that must stand back, those that precede it. The order is total, also between policies of the same
     * second: older first, then by kind, namespace and name.
     */
    public static Map<PolicyRef, List<PolicyRef>> find(IdentityScheme scheme, Collection<Claim> claims) {
        Map<String, List<Claim>> byName = new HashMap<>();
        for (Claim claim : claims) {
            byName.computeIfAbsent(scheme.policyId(claim.policy()), _ -> new ArrayList<>())
                    .add(claim);
        }
        Map<PolicyRef, List<PolicyRef>> conflicts = new TreeMap<>();
        for (List<Claim> rivals : byName.values()) {
            var order = rivals.stream()
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
