package io.portcullis.core.precedence;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.core.overlap.LabelRequirements;
import io.portcullis.core.overlap.ResourcePattern;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The requests that one generation of a policy matches. If a "covers" method returns true, the result is certain. If it
 * returns false, the scope may still cover the other one.
 *
 * @param isExact whether the scope matches only the exact API versions of the rules, not equivalent ones
 * @param conditions CEL expressions, all of which must be true
 * @param namespaces labels by which a cluster-wide policy selects namespaces; a namespaced policy matches its own namespace
 * @param includesServers whether the scope includes the namespace of the policy servers, if its labels match
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

    /** Returns whether a cluster-wide policy receives requests in this namespace. */
    boolean selects(String namespace, Map<String, String> labels, String serverNamespace) {
        return (includesServers || !namespace.equals(serverNamespace)) && namespaces.accept(labels);
    }

    boolean mayReachClusterObjects() {
        return rules.stream().anyMatch(rule -> !RuleRest.scopeOf(rule).equals(NAMESPACED));
    }

    /** Returns whether this scope contains all requests of the other scope, including those in future namespaces. */
    boolean covers(PrecedenceScope other) {
        return isAtLeastAsOpenAs(other)
                && namespaces.areImpliedBy(other.namespaces)
                && (includesServers || !other.includesServers)
                && new RuleRest(rules).of(other.rules).isEmpty();
    }

    /**
     * Returns whether this scope contains all requests that the other policy loses when a namespace is excluded from it. An
     * exclusion does not affect requests for cluster-scoped objects, except for the namespace object itself. Only
     * cluster-wide policies receive requests for namespace objects.
     */
    boolean coversInsideNamespace(PrecedenceScope other) {
        if (!isAtLeastAsOpenAs(other) || other.rules.stream().anyMatch(PrecedenceScope::mayMatchNamespaceObjects)) {
            return false;
        }
        var inside = other.rules.stream()
                .filter(rule -> !RuleRest.scopeOf(rule).equals("Cluster"))
                .toList();
        return new RuleRest(rules).of(namespaced(inside)).isEmpty();
    }

    /** Returns the rules without the requests that the others match. The others must apply to the same namespace. */
    public List<RuleWithOperations> without(List<PrecedenceScope> others) {
        return new RuleRest(others.stream()
                        .filter(other -> other.isAtLeastAsOpenAs(this))
                        .flatMap(other -> other.rules.stream())
                        .toList())
                .of(rules);
    }

    /** Returns whether this scope, apart from its rules, accepts all requests that the other accepts. */
    private boolean isAtLeastAsOpenAs(PrecedenceScope other) {
        return (!isExact || other.isExact)
                && objects.areImpliedBy(other.objects)
                && other.conditions.containsAll(conditions);
    }

    private static boolean mayMatchNamespaceObjects(RuleWithOperations rule) {
        return !RuleRest.scopeOf(rule).equals(NAMESPACED)
                && (rule.getApiGroups().contains("") || rule.getApiGroups().contains("*"))
                && rule.getResources().stream()
                        .map(resource -> ResourcePattern.parse(resource).main())
                        .anyMatch(main -> main.equals("*") || main.equals("namespaces"));
    }
}
