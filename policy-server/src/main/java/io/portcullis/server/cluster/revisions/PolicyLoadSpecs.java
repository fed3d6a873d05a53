package io.portcullis.server.cluster.revisions;

import io.portcullis.api.revision.PolicyRevision;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads each revision once: hashing and parsing all of them at every change would cost more than the change. Not thread-safe. */
public final class PolicyLoadSpecs {

    /** @param object as it was when it was last looked at: the very same needs no comparison */
    private record Known(PolicyRevision object, PolicyLoadSpec loadSpec) {

        boolean isAbout(PolicyRevision revision) {
            var spec = object.getSpec();
            return revision == object
                    || (spec.dataHash().equals(revision.getSpec().dataHash())
                            && spec.data().equals(revision.getSpec().data()));
        }
    }

    private final List<String> namespacedCapabilities;
    private final Map<String, Known> known = new HashMap<>();

    public PolicyLoadSpecs(List<String> namespacedCapabilities) {
        this.namespacedCapabilities = namespacedCapabilities;
    }

    public PolicyLoadSpec of(ObservedRevision revision) {
        var before = known.get(revision.name());
        var loadSpec = before != null && before.isAbout(revision.object())
                ? before.loadSpec()
                : PolicyLoadSpec.of(revision, namespacedCapabilities);
        known.put(revision.name(), new Known(revision.object(), loadSpec));
        return loadSpec;
    }

    public void forget(Set<String> names) {
        known.keySet().removeAll(names);
    }
}
