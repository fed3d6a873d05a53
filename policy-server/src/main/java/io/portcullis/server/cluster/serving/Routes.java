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

/** How requests that name no generation, or a policy as it was once called, find what they mean. Used by the loop's thread alone. */
final class Routes {

    private final Map<String, Long> active = new HashMap<>();
    /** By unique name the policies that bear it, each with one of its revisions: what it is and was called. */
    private final Map<String, Map<PolicyReference, PolicyRevisionSpec>> known = new HashMap<>();

    private Map<String, String> earlierNames = Map.of();
    private boolean changed;
    private boolean namesChanged;

    /** @param wanted all revisions of the policy that are served or will be */
    void of(String policyId, List<ObservedRevision> wanted) {
        var generation = wanted.stream()
                .filter(ObservedRevision::isActive)
                .map(ObservedRevision::generation)
                .max(Long::compare);
        var before = generation.isPresent() ? active.put(policyId, generation.get()) : active.remove(policyId);
        changed |= !Objects.equals(before, generation.orElse(null));
        var bearers = wanted.stream()
                .map(ObservedRevision::spec)
                .collect(Collectors.toMap(PolicyRevisionSpec::objectReference, spec -> spec, (one, _) -> one));
        var former = bearers.isEmpty() ? known.remove(policyId) : known.put(policyId, bearers);
        namesChanged |= !bearers.keySet().equals(former == null ? Set.of() : former.keySet());
    }

    /** Whether anything differs from when this was last asked. */
    boolean takeChanged() {
        if (namesChanged) {
            earlierNames = EarlierNames.of(known.values().stream()
                    .flatMap(bearers -> bearers.values().stream())
                    .toList());
        }
        var isChanged = changed || namesChanged;
        changed = false;
        namesChanged = false;
        return isChanged;
    }

    Map<String, Long> active() {
        return Collections.unmodifiableMap(active);
    }

    Map<String, String> earlierNames() {
        return earlierNames;
    }
}
