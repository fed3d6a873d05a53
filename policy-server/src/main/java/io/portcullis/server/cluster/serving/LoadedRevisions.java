package io.portcullis.server.cluster.serving;

import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.evaluation.routing.RoutedPolicy;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Revision;
import io.portcullis.server.evaluation.routing.RoutingTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The policies that this replica has loaded, by revision name. Revisions with an equal {@link ResolvedLoadSpec} share a
 * policy. The policy is closed after its last revision is unloaded and the routing table no longer contains it. Confined to
 * the loop's thread; requests read only the environment.
 */
final class LoadedRevisions {

    /**
     * A revision that can answer requests.
     *
     * @param digests the digests of the loaded bytes, by member
     * @param served the entry of the routing table
     */
    record LoadedRevision(ResolvedLoadSpec loadSpec, Map<String, String> digests, RoutedPolicy.Loaded served) {

        LoadedPolicy policy() {
            return served.policy();
        }
    }

    private final EvaluationEnvironment environment;
    private final Map<String, LoadedRevision> byRevision = new HashMap<>();
    private final List<LoadedPolicy> retired = new ArrayList<>();
    private boolean changed;

    LoadedRevisions(EvaluationEnvironment environment) {
        this.environment = environment;
    }

    Optional<LoadedRevision> of(String revision) {
        return Optional.ofNullable(byRevision.get(revision));
    }

    Collection<LoadedRevision> all() {
        return byRevision.values();
    }

    /** Finds a loaded revision that evaluates requests in the same way. */
    Optional<LoadedRevision> findEqual(ResolvedLoadSpec loadSpec) {
        return byRevision.values().stream()
                .filter(loaded -> loaded.loadSpec().equals(loadSpec))
                .findFirst();
    }

    void put(ObservedRevision revision, ResolvedLoadSpec loadSpec, LoadedPolicy policy, Map<String, String> digests) {
        var proof = ServedGeneration.of(revision.object(), digests);
        var served = new RoutedPolicy.Loaded(
                new Revision(
                        revision.policyId(),
                        revision.generation(),
                        loadSpec.policy().entry().mode()),
                policy,
                Optional.of(proof));
        retire(byRevision.put(revision.name(), new LoadedRevision(loadSpec, digests, served)));
        changed = true;
    }

    void remove(String revision) {
        retire(byRevision.remove(revision));
        changed = true;
    }

    private void retire(@org.jspecify.annotations.Nullable LoadedRevision replaced) {
        if (replaced != null) {
            retired.add(replaced.policy());
        }
    }

    /**
     * Publishes a new routing table if anything changed, and closes policies that no revision uses any more.
     *
     * @param routesChanged whether one of the other parameters differs from the last call
     * @param current the generation that serves requests without a generation, by policy
     * @param earlierNames earlier names of policies and the current names that they map to
     */
    void publish(boolean routesChanged, Map<String, Long> current, Map<String, String> earlierNames) {
        if (!changed && !routesChanged) {
            return;
        }
        changed = false;
        environment.swap(new RoutingTable(
                byRevision.values().stream()
                        .<RoutedPolicy>map(LoadedRevision::served)
                        .toList(),
                current,
                earlierNames));
        // Compare by identity: equal policies are different memory.
        Set<LoadedPolicy> closing = Collections.newSetFromMap(new IdentityHashMap<>());
        closing.addAll(retired);
        byRevision.values().forEach(loaded -> closing.remove(loaded.policy()));
        closing.forEach(LoadedPolicy::close);
        retired.clear();
    }
}
