package io.portcullis.api.overlap;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.policy.PolicyRef;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The requests that a policy sees.
 *
 * @param namespaces those that exist and that it looks into
 * @param seesClusterObjects whether it looks at objects outside namespaces too
 * @param changesObjects whether it may change what others see: a mutating policy in protect mode
 */
public record Reach(
        PolicyRef policy,
        List<RuleWithOperations> rules,
        Set<String> namespaces,
        boolean seesClusterObjects,
        LabelSelector objectSelector,
        boolean changesObjects) {

    public Reach {
        rules = List.copyOf(rules);
        namespaces = Set.copyOf(namespaces);
    }

    /** The policies among {@code others} that change what this one sees, sorted. */
    public List<String> affectedBy(Collection<Reach> others) {
        return others.stream()
                .filter(other -> !other.policy.equals(policy) && other.changesObjects && overlaps(other))
                .map(other -> other.policy.display())
                .sorted()
                .toList();
    }

    /** Whether some request may be sent to both. */
    public boolean overlaps(Reach other) {
        boolean samePlace =
                (seesClusterObjects && other.seesClusterObjects) || !Collections.disjoint(namespaces, other.namespaces);
        return samePlace
                && rules.stream().anyMatch(rule -> other.rules.stream().anyMatch(their -> meet(rule, their)))
                && LabelRequirements.of(objectSelector).areCompatibleWith(LabelRequirements.of(other.objectSelector));
    }

    private static boolean meet(RuleWithOperations one, RuleWithOperations other) {
        return meet(one.getApiGroups(), other.getApiGroups())
                && meet(one.getOperations(), other.getOperations())
                && one.getResources().stream()
                        .map(ResourcePattern::parse)
                        .anyMatch(resource -> other.getResources().stream()
                                .map(ResourcePattern::parse)
                                .anyMatch(resource::meets));
    }

    private static boolean meet(List<String> one, List<String> other) {
        return one.contains("*") || other.contains("*") || !Collections.disjoint(one, other);
    }
}
