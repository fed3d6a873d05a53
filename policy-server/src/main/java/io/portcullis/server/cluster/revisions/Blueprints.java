package io.portcullis.server.cluster.revisions;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads each revision once: hashing and parsing all of them at every change would cost more than the change. Not thread-safe. */
public final class Blueprints {

    private record Known(ObjectNode data, String dataHash, Blueprint blueprint) {}

    private final Optional<List<String>> namespacedCapabilities;
    private final Map<String, Known> known = new HashMap<>();

    public Blueprints(Optional<List<String>> namespacedCapabilities) {
        this.namespacedCapabilities = namespacedCapabilities;
    }

    public Blueprint of(ObservedRevision revision) {
        var spec = revision.spec();
        var before = known.get(revision.name());
        if (before != null
                && before.dataHash().equals(spec.dataHash())
                && before.data().equals(spec.data())) {
            return before.blueprint();
        }
        var blueprint = Blueprint.of(revision, namespacedCapabilities);
        known.put(revision.name(), new Known(spec.data(), spec.dataHash(), blueprint));
        return blueprint;
    }

    public void keepOnly(Set<String> names) {
        known.keySet().retainAll(names);
    }
}
