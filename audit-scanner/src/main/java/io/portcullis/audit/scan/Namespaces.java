package io.portcullis.audit.scan;

import io.portcullis.audit.scan.ScanPlan.Work;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The scanned namespaces with their labels. Decides whether a type is listed once for all namespaces, or separately
 * for the few namespaces that matter.
 */
record Namespaces(Map<String, Map<String, String>> labels) {

    /**
     * Threshold factor: if at most a tenth of the namespaces matter, list them separately. Otherwise one full list is
     * cheaper.
     */
    private static final int FULL_LIST_FACTOR = 10;

    Namespaces {
        labels = new TreeMap<>(labels);
    }

    boolean contains(String namespace) {
        return labels.containsKey(namespace);
    }

    Map<String, String> labelsOf(String namespace) {
        return labels.getOrDefault(namespace, Map.of());
    }

    /** Returns the lists for a namespaced type; an empty element means one list of all namespaces. */
    List<Optional<String>> lists(Work work) {
        var relevant = labels.entrySet().stream()
                .filter(namespace -> work.assignments().stream()
                        .anyMatch(assignment ->
                                assignment.policy().appliesToNamespace(namespace.getKey(), namespace.getValue())))
                .map(Map.Entry::getKey)
                .toList();
        return relevant.size() > 1 && relevant.size() * FULL_LIST_FACTOR > labels.size()
                ? List.of(Optional.empty())
                : relevant.stream().map(Optional::of).toList();
    }
}
