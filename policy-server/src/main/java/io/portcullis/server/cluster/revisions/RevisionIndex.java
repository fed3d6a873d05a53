package io.portcullis.server.cluster.revisions;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The revisions as the loop knows them, by policy: what is decided about a revision depends on those of its policy, so that a
 * change costs what one policy costs, however many there are. Used by the loop's thread alone.
 */
public final class RevisionIndex {

    private final Map<String, ObservedRevision> byName = new HashMap<>();
    private final Map<String, Map<String, ObservedRevision>> byPolicy = new HashMap<>();
    /** Until all have heard of it: nobody will come across their names again. */
    private final Set<String> gone = new HashSet<>();

    /**
     * What has changed since the last look.
     *
     * @param policies of which a revision came, changed or went
     * @param gone revisions, by name, also those of looks before that {@link #settled} was not called after
     */
    public record Changes(Set<String> policies, Set<String> gone) {}

    public Optional<ObservedRevision> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** All revisions of a policy. */
    public List<ObservedRevision> of(String policyId) {
        return List.copyOf(byPolicy.getOrDefault(policyId, Map.of()).values());
    }

    public Collection<ObservedRevision> all() {
        return byName.values();
    }

    public Set<String> policies() {
        return byPolicy.keySet();
    }

    /** Takes over some; those that are absent are gone. */
    public Changes update(Map<String, Optional<ObservedRevision>> some) {
        var policies = new HashSet<String>();
        some.forEach((name, now) -> {
            var before = Optional.ofNullable(byName.remove(name));
            before.ifPresent(old -> {
                policies.add(old.policyId());
                remove(old);
            });
            now.ifPresent(revision -> {
                policies.add(revision.policyId());
                byName.put(name, revision);
                byPolicy.computeIfAbsent(revision.policyId(), _ -> new HashMap<>())
                        .put(name, revision);
            });
            if (now.isPresent()) {
                gone.remove(name);
            } else if (before.isPresent()) {
                gone.add(name);
            }
        });
        return new Changes(policies, Set.copyOf(gone));
    }

    /** A look has come to its end, so that everybody has heard what is gone. */
    public void settled() {
        gone.clear();
    }

    /**
     * The policies that something is to be decided about.
     *
     * @param stirred revisions of which something changed elsewhere than in the cluster
     * @param forget told those of them that are gone
     */
    public Set<String> due(Changes changes, Collection<String> stirred, Consumer<String> forget) {
        var due = new HashSet<>(changes.policies());
        stirred.forEach(name ->
                find(name).ifPresentOrElse(revision -> due.add(revision.policyId()), () -> forget.accept(name)));
        return due;
    }

    private void remove(ObservedRevision revision) {
        byPolicy.computeIfPresent(revision.policyId(), (_, revisions) -> {
            revisions.remove(revision.name());
            return revisions.isEmpty() ? null : revisions;
        });
    }

    /** Takes over everything; whatever else was known is gone. */
    public Changes replace(Collection<ObservedRevision> all) {
        var next = new HashMap<String, Optional<ObservedRevision>>();
        byName.keySet().forEach(name -> next.put(name, Optional.empty()));
        all.forEach(revision -> next.put(revision.name(), Optional.of(revision)));
        return update(next);
    }
}
