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
 * Indexes the observed revisions by name and by policy. A decision about a revision depends only on the revisions of its
 * policy. The cost of a
 * change therefore does not grow with the number of policies. Confined to the loop's thread.
 */
public final class RevisionIndex {

    private final Map<String, ObservedRevision> byName = new HashMap<>();
    private final Map<String, Map<String, ObservedRevision>> byPolicy = new HashMap<>();
    /** Names of deleted revisions. They are kept until a pass has completed, because no later change contains them. */
    private final Set<String> deleted = new HashSet<>();

    /**
     * The changes since the last pass.
     *
     * @param policies the policies with a new, changed or deleted revision
     * @param deleted the names of deleted revisions since the last call of {@link #clearDeleted}
     */
    public record Changes(Set<String> policies, Set<String> deleted) {}

    public Optional<ObservedRevision> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** Returns all revisions of a policy. */
    public List<ObservedRevision> of(String policyId) {
        return List.copyOf(byPolicy.getOrDefault(policyId, Map.of()).values());
    }

    public Collection<ObservedRevision> all() {
        return byName.values();
    }

    public Set<String> policies() {
        return byPolicy.keySet();
    }

    /** Updates the given revisions. An empty value means that the revision was deleted. */
    public Changes update(Map<String, Optional<ObservedRevision>> changed) {
        var policies = new HashSet<String>();
        changed.forEach((name, current) -> {
            var previous = Optional.ofNullable(byName.remove(name));
            previous.ifPresent(old -> {
                policies.add(old.policyId());
                remove(old);
            });
            current.ifPresent(revision -> {
                policies.add(revision.policyId());
                byName.put(name, revision);
                byPolicy.computeIfAbsent(revision.policyId(), _ -> new HashMap<>())
                        .put(name, revision);
            });
            if (current.isPresent()) {
                deleted.remove(name);
            } else if (previous.isPresent()) {
                deleted.add(name);
            }
        });
        return new Changes(policies, Set.copyOf(deleted));
    }

    /** Clears the recorded deletions. Call after a completed pass. */
    public void clearDeleted() {
        deleted.clear();
    }

    /**
     * Returns the policies to reconcile.
     *
     * @param dirty the names of revisions whose local state changed
     * @param drop receives the names of dirty revisions that no longer exist
     */
    public Set<String> due(Changes changes, Collection<String> dirty, Consumer<String> drop) {
        var due = new HashSet<>(changes.policies());
        dirty.forEach(
                name -> find(name).ifPresentOrElse(revision -> due.add(revision.policyId()), () -> drop.accept(name)));
        return due;
    }

    private void remove(ObservedRevision revision) {
        byPolicy.computeIfPresent(revision.policyId(), (_, revisions) -> {
            revisions.remove(revision.name());
            return revisions.isEmpty() ? null : revisions;
        });
    }

    /** Replaces the whole index. Revisions that are not in {@code all} count as deleted. */
    public Changes replace(Collection<ObservedRevision> all) {
        var next = new HashMap<String, Optional<ObservedRevision>>();
        byName.keySet().forEach(name -> next.put(name, Optional.empty()));
        all.forEach(revision -> next.put(revision.name(), Optional.of(revision)));
        return update(next);
    }
}
