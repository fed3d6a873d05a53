package io.portcullis.api.precedence;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.portcullis.api.overlap.LabelRequirements;
import io.portcullis.api.overlap.ResourcePattern;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The requests that one version of a policy asks to see. "Covers" is certain: what it denies may still be so.
 *
 * @param isExact only requests in the very versions of the rules, not equivalent ones
 * @param conditions in CEL, of which all must hold
 * @param namespaces that a cluster-wide policy selects by their labels; a namespace's policy sees its own
 * @param includesServers whether also the namespace of the policy servers, if it is selected
 */
public record PrecedenceScope(
        List<RuleWithOperations> rules,
        boolean isExact,
        LabelRequirements objects,
        Set<String> conditions,
        LabelRequirements namespaces,
        boolean includesServers) {

    private static final String NAMESPACED = "Namespaced";

    public PrecedenceScope {
        rules = List.copyOf(rules);
        conditions = Set.copyOf(conditions);
    }

    public static PrecedenceScope of(PolicyKind kind, PolicySpec.Match match) {
        boolean isNamespaced = kind.isNamespaced();
        return new PrecedenceScope(
                isNamespaced ? namespaced(match.rules()) : match.rules(),
                "Exact".equals(match.matchPolicy()),
                LabelRequirements.of(Objects.requireNonNullElseGet(match.objectSelector(), LabelSelector::new)),
                match.matchConditions().stream()
                        .map(MatchCondition::getExpression)
                        .collect(Collectors.toSet()),
                LabelRequirements.of(
                        isNamespaced || match.namespaceSelector() == null
                                ? new LabelSelector()
                                : match.namespaceSelector()),
                !isNamespaced && match.allowInsideAdmissionControllerNamespace());
    }

    private static List<RuleWithOperations> namespaced(List<RuleWithOperations> rules) {
        return rules.stream()
                .map(rule -> new RuleWithOperationsBuilder(rule)
                        .withScope(NAMESPACED)
                        .build())
                .toList();
    }

    /** Whether a cluster-wide policy sees requests in this namespace. */
    boolean selects(String namespace, Map<String, String> labels, String serverNamespace) {
        return (includesServers || !namespace.equals(serverNamespace)) && namespaces.accept(labels);
    }

    boolean mayReachClusterObjects() {
        return rules.stream().anyMatch(rule -> !RuleRest.scopeOf(rule).equals(NAMESPACED));
    }

    /** All that the other sees, wherever it is and in namespaces to come, this one sees too. */
    boolean covers(PrecedenceScope other) {
        return isAtLeastAsOpenAs(other)
                && namespaces.areImpliedBy(other.namespaces)
                && (includesServers || !other.includesServers)
                && new RuleRest(rules).of(other.rules).isEmpty();
    }

    /**
     * All that the other would no longer see if a namespace were taken from it, this one sees there. Requests about other
     * cluster objects than namespaces are not taken; those about the namespace itself are, and only cluster-wide policies
     * see them.
     */
    boolean coversInsideNamespace(PrecedenceScope other) {
        if (!isAtLeastAsOpenAs(other) || other.rules.stream().anyMatch(PrecedenceScope::mayMeanNamespaces)) {
            return false;
        }
        var inside = other.rules.stream()
                .filter(rule -> !RuleRest.scopeOf(rule).equals("Cluster"))
                .toList();
        return new RuleRest(rules).of(namespaced(inside)).isEmpty();
    }

    /** The rules without what the others see, which must be where this one is. */
    public List<RuleWithOperations> without(List<PrecedenceScope> others) {
        return new RuleRest(others.stream()
                        .filter(other -> other.isAtLeastAsOpenAs(this))
                        .flatMap(other -> other.rules.stream())
                        .toList())
                .of(rules);
    }

    /** Nothing but its rules keeps from it a request that the other sees. */
    private boolean isAtLeastAsOpenAs(PrecedenceScope other) {
        return (!isExact || other.isExact)
                && objects.areImpliedBy(other.objects)
                && other.conditions.containsAll(conditions);
    }

    private static boolean mayMeanNamespaces(RuleWithOperations rule) {
        return !RuleRest.scopeOf(rule).equals(NAMESPACED)
                && (rule.getApiGroups().contains("") || rule.getApiGroups().contains("*"))
                && rule.getResources().stream()
                        .map(resource -> ResourcePattern.parse(resource).main())
                        .anyMatch(main -> main.equals("*") || main.equals("namespaces"));
    }
}
