package io.portcullis.core.precedence;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.portcullis.core.overlap.ResourcePattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Computes what remains of rules when other rules take their requests. The result is exact for resources and operations. The
 * groups and versions of a rule are taken together or not at all, so that the cost stays small for long lists. In doubt, a
 * request remains.
 */
final class RuleRest {

    private static final String ANY = "*";
    private static final List<String> OPERATIONS = List.of("CREATE", "UPDATE", "DELETE", "CONNECT");

    private final List<Taker> takers;

    private record Taker(
            Set<String> groups,
            Set<String> versions,
            Set<ResourcePattern> resources,
            Set<String> operations,
            String scope) {

        static Taker of(RuleWithOperations rule) {
            return new Taker(
                    new HashSet<>(rule.getApiGroups()),
                    new HashSet<>(rule.getApiVersions()),
                    rule.getResources().stream().map(ResourcePattern::parse).collect(Collectors.toSet()),
                    new HashSet<>(rule.getOperations()),
                    scopeOf(rule));
        }

        boolean mayTakeFrom(RuleWithOperations rule) {
            return includes(groups, rule.getApiGroups())
                    && includes(versions, rule.getApiVersions())
                    && (scope.equals(ANY) || scope.equals(scopeOf(rule)));
        }

        boolean takes(ResourcePattern resource, String operation) {
            return includes(operations, List.of(operation))
                    && (resources.contains(resource)
                            || resources.contains(new ResourcePattern(resource.main(), ANY))
                            || resources.contains(new ResourcePattern(ANY, resource.sub()))
                            || resources.contains(new ResourcePattern(ANY, ANY)));
        }

        private static boolean includes(Set<String> all, Collection<String> some) {
            return all.contains(ANY) || all.containsAll(some);
        }
    }

    RuleRest(List<RuleWithOperations> takers) {
        this.takers = takers.stream().map(Taker::of).toList();
    }

    static String scopeOf(RuleWithOperations rule) {
        return Objects.requireNonNullElse(rule.getScope(), ANY);
    }

    /** Returns the rules, in order, without the taken requests. Rules that lose nothing are returned unchanged. */
    List<RuleWithOperations> of(List<RuleWithOperations> rules) {
        return rules.stream().flatMap(rule -> rest(rule).stream()).toList();
    }

    private List<RuleWithOperations> rest(RuleWithOperations rule) {
        var applicable =
                takers.stream().filter(taker -> taker.mayTakeFrom(rule)).toList();
        if (applicable.isEmpty()) {
            return List.of(rule);
        }
        var requested = operations(rule);
        Map<Set<String>, List<String>> resourcesByOperations = new LinkedHashMap<>();
        for (String resource : rule.getResources()) {
            var pattern = ResourcePattern.parse(resource);
            Set<String> remaining = new LinkedHashSet<>(requested);
            remaining.removeIf(operation -> applicable.stream().anyMatch(taker -> taker.takes(pattern, operation)));
            resourcesByOperations
                    .computeIfAbsent(remaining, _ -> new ArrayList<>())
                    .add(resource);
        }
        if (resourcesByOperations.keySet().equals(Set.of(requested))) {
            return List.of(rule);
        }
        resourcesByOperations.remove(Set.of());
        return resourcesByOperations.entrySet().stream()
                .map(entry -> new RuleWithOperationsBuilder(rule)
                        .withResources(entry.getValue())
                        .withOperations(List.copyOf(entry.getKey()))
                        .build())
                .toList();
    }

    private static Set<String> operations(RuleWithOperations rule) {
        return new LinkedHashSet<>(rule.getOperations().contains(ANY) ? OPERATIONS : rule.getOperations());
    }
}
