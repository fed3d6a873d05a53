package io.portcullis.server.evaluation;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Everything that is served at one moment. Immutable: a change makes a new one. */
public final class Environment {

    public static final Environment EMPTY = new Environment(java.util.List.of());

    private record Key(String id, long generation) {}

    private final Map<Key, ServedPolicy> byGeneration = new HashMap<>();
    private final Map<String, ServedPolicy> current = new HashMap<>();

    /** @param policies of each id the one with the highest generation is current */
    public Environment(Collection<ServedPolicy> policies) {
        for (var policy : policies) {
            var revision = policy.revision();
            byGeneration.put(new Key(revision.id(), revision.generation()), policy);
            current.merge(
                    revision.id(),
                    policy,
                    (left, right) ->
                            left.revision().generation() > right.revision().generation() ? left : right);
        }
    }

    Optional<ServedPolicy> find(PolicyAddress address) {
        var policy = address.generation().isPresent()
                ? byGeneration.get(new Key(address.id(), address.generation().getAsLong()))
                : current.get(address.id());
        return Optional.ofNullable(policy);
    }

    int loadedCount() {
        return (int) byGeneration.values().stream()
                .filter(ServedPolicy.Loaded.class::isInstance)
                .count();
    }
}
