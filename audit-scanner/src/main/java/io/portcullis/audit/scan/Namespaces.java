package io.portcullis.audit.scan;

import io.portcullis.audit.scan.ScanPlan.Work;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The namespaces that are scanned, with their labels. Decides where objects are listed: all at once, or namespace by
 * namespace where few are of interest.
 */
record Namespaces(Map<String, Map<String, String>> labels) {

    /** Listing all objects to use a tenth of them would be a waste; so would be a list for each of many namespaces. */
    private static final int WORTH_A_FULL_LIST = 10;

    Namespaces {
        labels = new TreeMap<>(labels);
    }

    boolean contains(String namespace) {
        return labels.containsKey(namespace);
    }

    Map<String, String> labelsOf(String namespace) {
        return labels.getOrDefault(namespace, Map.of());
    }

    /** The lists to make for a type of namespaced objects; an empty element is one list of all namespaces. */
    List<Optional<String>> lists(Work work) {
        var interesting = labels.entrySet().stream()
                .filter(namespace -> work.assignments().stream()
                        .anyMatch(
                                assignment -> assignment.policy().looksInto(namespace.getKey(), namespace.getValue())))
                .map(Map.Entry::getKey)
                .toList();
        return interesting.size() > 1 && interesting.size() * WORTH_A_FULL_LIST > labels.size()
                ? List.of(Optional.empty())
                : interesting.stream().map(Optional::of).toList();
    }
}
