package io.portcullis.server.evaluation.routing;

import io.portcullis.api.evidence.ServedGeneration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The routing table: all policies that the server serves at one moment. Immutable; every change creates a new table. */
public final class RoutingTable {

    public static final RoutingTable EMPTY = new RoutingTable(List.of());

    private final Map<PolicyAddress, RoutedPolicy> byGeneration = new HashMap<>();
    private final Map<String, RoutedPolicy> current = new HashMap<>();
    private final Map<String, Long> newest = new HashMap<>();

    /** @param policies the served policies; the highest generation of each id is current */
    public RoutingTable(Collection<RoutedPolicy> policies) {
        this(policies, Map.of(), Map.of());
    }

    /**
     * Creates a routing table.
     *
     * @param policies the served policies, each with its generation
     * @param preferred the current generation by id, where it is not the highest one
     * @param aliases other names and the ids that they map to; an alias finds only the current generation
     */
    public RoutingTable(Collection<RoutedPolicy> policies, Map<String, Long> preferred, Map<String, String> aliases) {
        for (var policy : policies) {
            var revision = policy.revision();
            byGeneration.put(PolicyAddress.of(revision.id(), revision.generation()), policy);
            newest.merge(revision.id(), revision.generation(), Math::max);
            current.merge(
                    revision.id(),
                    policy,
                    (left, right) ->
                            left.revision().generation() > right.revision().generation() ? left : right);
        }
        preferred.forEach((id, generation) -> {
            var policy = byGeneration.get(PolicyAddress.of(id, generation));
            if (policy != null) {
                current.put(id, policy);
            }
        });
        aliases.forEach((alias, id) -> {
            var policy = current.get(id);
            if (policy != null) {
                current.putIfAbsent(alias, policy);
            }
        });
    }

    /** Returns the evidence of every loaded policy that answers requests. */
    List<ServedGeneration> proofs() {
        return byGeneration.values().stream()
                .flatMap(policy ->
                        policy instanceof RoutedPolicy.Loaded loaded ? loaded.proof().stream() : Stream.empty())
                .toList();
    }

    Optional<RoutedPolicy> find(PolicyAddress address) {
        var policy = address.generation().isPresent() ? byGeneration.get(address) : current.get(address.id());
        return Optional.ofNullable(policy);
    }

    /**
     * Whether the server may serve this address soon: the policy is served, but the generation is newer than all served
     * ones.
     */
    boolean mayYetServe(PolicyAddress address) {
        var newestServed = newest.get(address.id());
        return newestServed != null
                && address.generation().isPresent()
                && address.generation().getAsLong() > newestServed;
    }

    int loadedCount() {
        return (int) byGeneration.values().stream()
                .filter(RoutedPolicy.Loaded.class::isInstance)
                .count();
    }
}
