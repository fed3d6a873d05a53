package io.portcullis.server.cluster.revisions;

import io.portcullis.api.revision.PolicyRevision;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Caches the parsed spec of each revision, because hashing and parsing all revisions on every change is slow. Not
 * thread-safe.
 */
public final class PolicyLoadSpecs {

    /** @param object the last observed object; the same instance needs no comparison */
    private record CachedSpec(PolicyRevision object, PolicyLoadSpec loadSpec) {

        boolean matches(PolicyRevision revision) {
            var spec = object.getSpec();
            return revision == object
                    || (spec.dataHash().equals(revision.getSpec().dataHash())
                            && spec.data().equals(revision.getSpec().data()));
        }
    }

    private final List<String> namespacedCapabilities;
    private final Map<String, CachedSpec> cache = new HashMap<>();

    public PolicyLoadSpecs(List<String> namespacedCapabilities) {
        this.namespacedCapabilities = namespacedCapabilities;
    }

    public PolicyLoadSpec of(ObservedRevision revision) {
        var cached = cache.get(revision.name());
        var loadSpec = cached != null && cached.matches(revision.object())
                ? cached.loadSpec()
                : PolicyLoadSpec.of(revision, namespacedCapabilities);
        cache.put(revision.name(), new CachedSpec(revision.object(), loadSpec));
        return loadSpec;
    }

    public void evict(Set<String> names) {
        cache.keySet().removeAll(names);
    }
}
