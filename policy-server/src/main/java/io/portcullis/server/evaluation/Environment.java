package io.portcullis.server.evaluation;

import io.portcullis.api.evidence.ServedGeneration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Everything that is served at one moment. Immutable: a change makes a new one. */
public final class Environment {

    public static final Environment EMPTY = new Environment(List.of());

    private record Key(String id, long generation) {}

    private final Map<Key, RoutedPolicy> byGeneration = new HashMap<>();
    private final Map<String, RoutedPolicy> current = new HashMap<>();
    private final Map<String, Long> newest = new HashMap<>();

    /** @param policies of each id the one with the highest generation is current */
    public Environment(Collection<RoutedPolicy> policies) {
        this(policies, Map.of(), Map.of());
    }

    /**
     * Fixes what is served.
     *
     * @param policies with the generation that each stands for
     * @param preferred by id the generation that is current, where it is not the highest one
     * @param aliases other names, by which only what is current is found, with the ids that they stand for
     */
    public Environment(Collection<RoutedPolicy> policies, Map<String, Long> preferred, Map<String, String> aliases) {
        for (var policy : policies) {
            var revision = policy.revision();
            byGeneration.put(new Key(revision.id(), revision.generation()), policy);
            newest.merge(revision.id(), revision.generation(), Math::max);
            current.merge(
                    revision.id(),
                    policy,
                    (left, right) ->
                            left.revision().generation() > right.revision().generation() ? left : right);
        }
        preferred.forEach((id, generation) -> {
            var policy = byGeneration.get(new Key(id, generation));
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

    /** What a replica may say of itself: everything that answers requests, as it was loaded. */
    List<ServedGeneration> proofs() {
        return byGeneration.values().stream()
                .flatMap(policy ->
                        policy instanceof RoutedPolicy.Loaded loaded ? loaded.proof().stream() : Stream.empty())
                .toList();
    }

    Optional<RoutedPolicy> find(PolicyAddress address) {
        var policy = address.generation().isPresent()
                ? byGeneration.get(new Key(address.id(), address.generation().getAsLong()))
                : current.get(address.id());
        return Optional.ofNullable(policy);
    }

    /** Whether a policy that is served is asked for as it may soon be: by a generation after all that are served. */
    boolean mayYetServe(PolicyAddress address) {
        var known = newest.get(address.id());
        return known != null
                && address.generation().isPresent()
                && address.generation().getAsLong() > known;
    }

    int loadedCount() {
        return (int) byGeneration.values().stream()
                .filter(RoutedPolicy.Loaded.class::isInstance)
                .count();
    }
}
