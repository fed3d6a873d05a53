package io.portcullis.server.cluster.serving;

import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.evaluation.Environment;
import io.portcullis.server.evaluation.EvaluationEnvironment;
import io.portcullis.server.evaluation.RoutedPolicy;
import io.portcullis.server.evaluation.RoutedPolicy.Revision;
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
 * What this replica has loaded, by revision. Revisions with equal content share a policy, which is closed with the last of
 * them, after nobody can find it any more. Used by the loop's thread alone; requests see only the environment.
 */
final class LoadedRevisions {

    record Holding(Content content, LoadedPolicy policy, Map<String, String> digests, RoutedPolicy.Loaded served) {}

    private final EvaluationEnvironment environment;
    private final Map<String, Holding> byRevision = new HashMap<>();
    private final List<LoadedPolicy> retired = new ArrayList<>();
    private boolean changed;

    LoadedRevisions(EvaluationEnvironment environment) {
        this.environment = environment;
    }

    Optional<Holding> of(String revision) {
        return Optional.ofNullable(byRevision.get(revision));
    }

    Collection<Holding> all() {
        return byRevision.values();
    }

    /** The loaded policy of another revision with the same content. */
    Optional<Holding> like(Content content) {
        return byRevision.values().stream()
                .filter(holding -> holding.content().equals(content))
                .findFirst();
    }

    void put(ObservedRevision revision, Content content, LoadedPolicy policy, Map<String, String> digests) {
        var proof = ServedGeneration.of(revision.object(), digests);
        var served = new RoutedPolicy.Loaded(
                new Revision(
                        revision.policyId(),
                        revision.generation(),
                        content.entry().mode()),
                policy,
                Optional.of(proof));
        retire(byRevision.put(revision.name(), new Holding(content, policy, digests, served)));
        changed = true;
    }

    void remove(String revision) {
        retire(byRevision.remove(revision));
        changed = true;
    }

    private void retire(@org.jspecify.annotations.Nullable Holding holding) {
        if (holding != null) {
            retired.add(holding.policy());
        }
    }

    /**
     * Makes requests see what is held now, if they do not yet.
     *
     * @param routesChanged one of the following differs from last time
     * @param current by policy the generation that is asked for without saying so
     * @param earlierNames of policies, by which what is current is found too
     */
    void publish(boolean routesChanged, Map<String, Long> current, Map<String, String> earlierNames) {
        if (!changed && !routesChanged) {
            return;
        }
        changed = false;
        environment.swap(new Environment(
                byRevision.values().stream().<RoutedPolicy>map(Holding::served).toList(), current, earlierNames));
        // The same object, not an equal one: equal policies are different memory.
        Set<LoadedPolicy> closing = Collections.newSetFromMap(new IdentityHashMap<>());
        closing.addAll(retired);
        byRevision.values().forEach(holding -> closing.remove(holding.policy()));
        closing.forEach(LoadedPolicy::close);
        retired.clear();
    }
}
