package io.portcullis.core.precedence;

import io.portcullis.api.policy.PolicyRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Decides which requests each policy loses to other policies of the same key. There are four steps. Each step depends only
 * on earlier steps, so that the results converge:
 *
 * <ol>
 *   <li>A cluster-wide policy is in conflict when an older one claims and enforces the same scope with the same strategy.
 *   <li>The other cluster-wide policies are ordered: {@code overrides} before {@code defaults}; older before newer among
 *       overrides, newer before older among defaults. A policy loses everything when an earlier one enforces its whole
 *       scope. A younger policy with the same claim does not count: it must not keep the older one from being enforced.
 *   <li>A namespaced policy loses the requests that an overriding policy enforces in its namespace.
 *   <li>A default policy loses each namespace in which a namespaced policy enforces the whole scope of the default.
 * </ol>
 */
public final class PrecedenceRules {

    /** Maximum number of excluded namespaces per webhook. With more of them no namespace is excluded. */
    public static final int MAX_EXCLUSIONS = 200;

    /** Orders by age. The order is total, even for policies created in the same second. */
    private static final Comparator<Party> AGE =
            Comparator.comparing(Party::createdAt).thenComparing(Party::policy);

    private static final Comparator<Party> RANK = (one, other) -> {
        boolean overrides = one.is(MergeStrategy.OVERRIDES);
        if (overrides != other.is(MergeStrategy.OVERRIDES)) {
            return overrides ? -1 : 1;
        }
        return overrides ? AGE.compare(one, other) : AGE.compare(other, one);
    };

    private final Map<String, Map<String, String>> namespaces;
    private final String serverNamespace;
    private final Map<PolicyRef, PrecedenceOutcome> outcomes = new HashMap<>();

    private PrecedenceRules(Map<String, Map<String, String>> namespaces, String serverNamespace) {
        this.namespaces = namespaces;
        this.serverNamespace = serverNamespace;
    }

    /**
     * Decides for all parties.
     *
     * @param namespaces labels of the existing namespaces, by name
     * @param serverNamespace namespace of the policy servers
     */
    public static Map<PolicyRef, PrecedenceOutcome> decide(
            Collection<Party> parties, Map<String, Map<String, String>> namespaces, String serverNamespace) {
        var rules = new PrecedenceRules(namespaces, serverNamespace);
        parties.stream()
                .collect(Collectors.groupingBy(Party::key, TreeMap::new, Collectors.toList()))
                .values()
                .forEach(rules::decide);
        return Map.copyOf(rules.outcomes);
    }

    private void decide(List<Party> sameKey) {
        var remaining = decideClusterWide(withoutConflicts(
                sameKey.stream().filter(party -> party.strategy().isPresent()).toList()));
        var namespaced = sameKey.stream().filter(Party::isNamespaced).toList();
        var overriding = remaining.stream()
                .filter(party -> party.is(MergeStrategy.OVERRIDES)
                        && party.enforcedScope().isPresent())
                .toList();
        namespaced.forEach(party -> outcomes.put(party.policy(), PrecedenceOutcome.of(overridden(party, overriding))));
        var enforcing = namespaced.stream()
                .filter(party -> PrecedenceOutcome.UNTOUCHED.equals(outcomes.get(party.policy())))
                .filter(party -> party.enforcedScope().isPresent())
                .toList();
        remaining.forEach(party -> outcomes.put(
                party.policy(),
                party.is(MergeStrategy.DEFAULTS) ? asDefault(party, enforcing) : PrecedenceOutcome.UNTOUCHED));
    }

    /** Returns the cluster-wide policies without those that are in conflict with an older one. */
    private List<Party> withoutConflicts(List<Party> clusterWide) {
        List<Party> undisputed = new ArrayList<>();
        for (Party party : clusterWide) {
            var owners = clusterWide.stream()
                    .filter(other -> AGE.compare(other, party) < 0)
                    .filter(other -> other.claimsTheSameAs(party) && other.enforcesAllOf(party))
                    .map(Party::policy)
                    .toList();
            if (owners.isEmpty()) {
                undisputed.add(party);
            } else {
                outcomes.put(party.policy(), PrecedenceOutcome.of(new Loss.Conflict(owners)));
            }
        }
        return undisputed;
    }

    /** Returns the cluster-wide policies that no earlier one replaces. Only policies that keep their webhook can replace. */
    private List<Party> decideClusterWide(List<Party> clusterWide) {
        List<Party> remaining = new ArrayList<>();
        for (Party party : clusterWide.stream().sorted(RANK).toList()) {
            var replacement = remaining.stream()
                    .filter(other -> other.enforcesAllOf(party) && !other.claimsTheSameAs(party))
                    .findFirst();
            replacement.ifPresentOrElse(
                    other -> outcomes.put(
                            party.policy(), PrecedenceOutcome.of(new Loss.Everything(List.of(other.policy())))),
                    () -> remaining.add(party));
        }
        return remaining;
    }

    private Loss overridden(Party party, List<Party> overriding) {
        var labels = Optional.ofNullable(namespaces.get(party.policy().namespace()));
        var takers = overriding.stream()
                .filter(other -> labels.filter(known -> other.enforcedScope()
                                .orElseThrow()
                                .selects(party.policy().namespace(), known, serverNamespace))
                        .isPresent())
                .filter(other -> takesSomething(other.enforcedScope().orElseThrow(), party))
                .toList();
        if (takers.isEmpty()) {
            return new Loss.Nothing();
        }
        var by = takers.stream().map(Party::policy).toList();
        var scopes = takers.stream()
                .map(taker -> taker.enforcedScope().orElseThrow())
                .toList();
        return party.requestedScopes().stream()
                        .allMatch(requested -> requested.without(scopes).isEmpty())
                ? new Loss.Everything(by)
                : new Loss.Rules(by, scopes);
    }

    private static boolean takesSomething(PrecedenceScope taker, Party party) {
        return party.requestedScopes().stream()
                .anyMatch(requested -> !requested.without(List.of(taker)).equals(requested.rules()));
    }

    private PrecedenceOutcome asDefault(Party party, List<Party> enforcing) {
        List<PolicyRef> by = new ArrayList<>();
        var excluded = new TreeSet<String>();
        for (Party other : enforcing) {
            var namespace = other.policy().namespace();
            var enforced = other.enforcedScope().orElseThrow();
            if (receivesFrom(party, namespace)
                    && party.requestedScopes().stream().allMatch(enforced::coversInsideNamespace)) {
                by.add(other.policy());
                excluded.add(namespace);
            }
        }
        if (excluded.isEmpty()) {
            return PrecedenceOutcome.UNTOUCHED;
        }
        if (excluded.size() > MAX_EXCLUSIONS) {
            return new PrecedenceOutcome(
                    new Loss.Nothing(),
                    Optional.of("it stays enforced everywhere: policies of its key would replace it in "
                            + excluded.size() + " namespaces, more than " + MAX_EXCLUSIONS));
        }
        boolean isAll = party.requestedScopes().stream().noneMatch(PrecedenceScope::mayReachClusterObjects)
                && namespaces.keySet().stream()
                        .filter(namespace -> !excluded.contains(namespace))
                        .noneMatch(namespace -> receivesFrom(party, namespace));
        return PrecedenceOutcome.of(new Loss.Namespaces(by, excluded, isAll));
    }

    private boolean receivesFrom(Party party, String namespace) {
        return Optional.ofNullable(namespaces.get(namespace))
                .filter(labels -> party.requestedScopes().stream()
                        .anyMatch(requested -> requested.selects(namespace, labels, serverNamespace)))
                .isPresent();
    }
}
