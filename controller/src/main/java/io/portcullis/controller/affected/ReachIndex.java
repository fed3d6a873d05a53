package io.portcullis.controller.affected;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.core.overlap.Reach;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds policies that may match the same requests as another, by API group and resource. May return too many policies,
 * but never too few.
 */
record ReachIndex(Map<Key, Set<Reach>> byResource, Set<Reach> everywhere) {

    private static final String ANY = "*";

    record Key(String group, String resource) {}

    static ReachIndex of(List<Reach> reaches) {
        Map<Key, Set<Reach>> byResource = new HashMap<>();
        Set<Reach> everywhere = new LinkedHashSet<>();
        for (Reach reach : reaches) {
            var keys = keys(reach);
            if (keys.stream().anyMatch(ReachIndex::isWildcard)) {
                everywhere.add(reach);
            }
            keys.forEach(key ->
                    byResource.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add(reach));
        }
        return new ReachIndex(byResource, everywhere);
    }

    private static Set<Key> keys(Reach reach) {
        Set<Key> keys = new HashSet<>();
        for (RuleWithOperations rule : reach.rules()) {
            for (String group : rule.getApiGroups()) {
                for (String resource : rule.getResources()) {
                    keys.add(new Key(group, main(resource)));
                }
            }
        }
        return keys;
    }

    private static String main(String resource) {
        int slash = resource.indexOf('/');
        return slash < 0 ? resource : resource.substring(0, slash);
    }

    private static boolean isWildcard(Key key) {
        return key.group().equals(ANY) || key.resource().equals(ANY);
    }

    Collection<Reach> near(Reach reach) {
        var keys = keys(reach);
        Set<Reach> near = new LinkedHashSet<>(everywhere);
        if (keys.stream().anyMatch(ReachIndex::isWildcard)) {
            byResource.values().forEach(near::addAll);
        } else {
            keys.forEach(key -> near.addAll(byResource.getOrDefault(key, Set.of())));
        }
        return near;
    }
}
