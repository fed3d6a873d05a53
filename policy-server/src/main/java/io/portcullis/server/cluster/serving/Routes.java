package io.portcullis.server.cluster.serving;

import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionSpec.PolicyReference;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Computes the routes of requests that name no generation, or that use an earlier name of a policy. Confined to the loop's
 * thread.
 */
final class Routes {

    private final Map<String, Long> activeGenerations = new HashMap<>();
    /** The policy objects with a policy ID, each with one of its revisions, which contains the names of the policy. */
    private final Map<String, Map<PolicyReference, PolicyRevisionSpec>> policiesById = new HashMap<>();

    private Map<String, String> earlierNames = Map.of();
    private boolean changed;
    private boolean namesChanged;

    /** @param wanted all revisions of the policy that this replica serves or will serve */
    void update(String policyId, List<ObservedRevision> wanted) {
        var generation = wanted.stream()
                .filter(ObservedRevision::isActive)
                .map(ObservedRevision::generation)
                .max(Long::compare);
        var previousGeneration = generation.isPresent()
                ? activeGenerations.put(policyId, generation.get())
                : activeGenerations.remove(policyId);
        changed |= !Objects.equals(previousGeneration, generation.orElse(null));
        var policies = wanted.stream()
                .map(ObservedRevision::spec)
                .collect(Collectors.toMap(PolicyRevisionSpec::objectReference, spec -> spec, (one, _) -> one));
        var previous = policies.isEmpty() ? policiesById.remove(policyId) : policiesById.put(policyId, policies);
        namesChanged |= !policies.keySet().equals(previous == null ? Set.of() : previous.keySet());
    }

    /** Whether anything changed since the last call. */
    boolean takeChanged() {
        if (namesChanged) {
            earlierNames = EarlierNames.of(policiesById.values().stream()
                    .flatMap(policies -> policies.values().stream())
                    .toList());
        }
        var isChanged = changed || namesChanged;
        changed = false;
        namesChanged = false;
        return isChanged;
    }

    Map<String, Long> active() {
        return Collections.unmodifiableMap(activeGenerations);
    }

    Map<String, String> earlierNames() {
        return earlierNames;
    }
}
