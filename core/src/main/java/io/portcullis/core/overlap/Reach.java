package io.portcullis.core.overlap;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.policy.PolicyRef;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The requests that a policy receives.
 *
 * @param namespaces existing namespaces that the policy matches
 * @param seesClusterObjects whether the policy also matches cluster-scoped objects
 * @param changesObjects whether the policy may change the objects that other policies receive: true for a mutating policy in
 *     protect mode
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

    /** Returns the policies among {@code others} that change objects which this policy receives, sorted. */
    public List<String> affectedBy(Collection<Reach> others) {
        return others.stream()
                .filter(other -> !other.policy.equals(policy) && other.changesObjects && overlaps(other))
                .map(other -> other.policy.display())
                .sorted()
                .toList();
    }

    /** Returns whether both policies may receive the same request. */
    public boolean overlaps(Reach other) {
        boolean sharesNamespace =
                (seesClusterObjects && other.seesClusterObjects) || !Collections.disjoint(namespaces, other.namespaces);
        return sharesNamespace
                && rules.stream().anyMatch(rule -> other.rules.stream().anyMatch(otherRule -> overlap(rule, otherRule)))
                && LabelRequirements.of(objectSelector).areCompatibleWith(LabelRequirements.of(other.objectSelector));
    }

    private static boolean overlap(RuleWithOperations one, RuleWithOperations other) {
        return overlap(one.getApiGroups(), other.getApiGroups())
                && overlap(one.getOperations(), other.getOperations())
                && one.getResources().stream()
                        .map(ResourcePattern::parse)
                        .anyMatch(resource -> other.getResources().stream()
                                .map(ResourcePattern::parse)
                                .anyMatch(resource::meets));
    }

    private static boolean overlap(List<String> one, List<String> other) {
        return one.contains("*") || other.contains("*") || !Collections.disjoint(one, other);
    }
}
