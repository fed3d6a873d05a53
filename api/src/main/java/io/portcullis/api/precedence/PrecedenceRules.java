package io.portcullis.api.precedence;

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
 * Who loses what to whom, among policies of one key. Three steps, each of which depends only on those before it, so that the
 * results come to rest:
 *
 * <ol>
 *   <li>Among cluster-wide policies {@code overrides} comes before {@code defaults}; of two that override the older comes first,
 *       of two defaults the newer. A later one whose whole scope an earlier one judges loses everything.
 *   <li>A namespace's policy loses what a policy that overrides judges there.
 *   <li>A policy that is a default loses the namespaces in which a namespace's policy judges all that it would.
 * </ol>
 */
public final class PrecedenceRules {

    /** More exclusions make a webhook unwieldy; then there are none. */
    public static final int MOST_EXCLUSIONS = 200;

    /** Total, also among policies of the same second. */
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
     * Decides for all of them.
     *
     * @param namespaces that exist, with their labels
     * @param serverNamespace where policy servers run
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
        var standing = standing(
                sameKey.stream().filter(party -> party.strategy().isPresent()).toList());
        var local = sameKey.stream().filter(Party::isNamespaced).toList();
        var overriding = standing.stream()
                .filter(party ->
                        party.is(MergeStrategy.OVERRIDES) && party.judges().isPresent())
                .toList();
        local.forEach(party -> outcomes.put(party.policy(), PrecedenceOutcome.of(overridden(party, overriding))));
        var judging = local.stream()
                .filter(party -> PrecedenceOutcome.UNTOUCHED.equals(outcomes.get(party.policy())))
                .filter(party -> party.judges().isPresent())
                .toList();
        standing.forEach(party -> outcomes.put(
                party.policy(),
                party.is(MergeStrategy.DEFAULTS) ? asDefault(party, judging) : PrecedenceOutcome.UNTOUCHED));
    }

    /** Cluster-wide policies that no better one stands in for. Only those that keep their webhook can stand in. */
    private List<Party> standing(List<Party> cluster) {
        List<Party> standing = new ArrayList<>();
        for (Party party : cluster.stream().sorted(RANK).toList()) {
            var better = standing.stream()
                    .filter(other -> other.judges()
                            .filter(judged -> party.asks().stream().allMatch(judged::covers))
                            .isPresent())
                    .findFirst();
            better.ifPresentOrElse(
                    other -> outcomes.put(
                            party.policy(), PrecedenceOutcome.of(new Loss.Everything(List.of(other.policy())))),
                    () -> standing.add(party));
        }
        return standing;
    }

    private Loss overridden(Party party, List<Party> overriding) {
        var labels = Optional.ofNullable(namespaces.get(party.policy().namespace()));
        var takers = overriding.stream()
                .filter(other -> labels.filter(known -> other.judges()
                                .orElseThrow()
                                .selects(party.policy().namespace(), known, serverNamespace))
                        .isPresent())
                .filter(other -> takesSomething(other.judges().orElseThrow(), party))
                .toList();
        if (takers.isEmpty()) {
            return new Loss.Nothing();
        }
        var by = takers.stream().map(Party::policy).toList();
        var scopes = takers.stream().map(taker -> taker.judges().orElseThrow()).toList();
        return party.asks().stream().allMatch(asked -> asked.without(scopes).isEmpty())
                ? new Loss.Everything(by)
                : new Loss.Rules(by, scopes);
    }

    private static boolean takesSomething(PrecedenceScope taker, Party party) {
        return party.asks().stream()
                .anyMatch(asked -> !asked.without(List.of(taker)).equals(asked.rules()));
    }

    private PrecedenceOutcome asDefault(Party party, List<Party> judging) {
        List<PolicyRef> by = new ArrayList<>();
        var excluded = new TreeSet<String>();
        for (Party other : judging) {
            var namespace = other.policy().namespace();
            var judged = other.judges().orElseThrow();
            if (sees(party, namespace) && party.asks().stream().allMatch(judged::coversInsideNamespace)) {
                by.add(other.policy());
                excluded.add(namespace);
            }
        }
        if (excluded.isEmpty()) {
            return PrecedenceOutcome.UNTOUCHED;
        }
        if (excluded.size() > MOST_EXCLUSIONS) {
            return new PrecedenceOutcome(
                    new Loss.Nothing(),
                    Optional.of("it gives way nowhere: policies of its key judge in its stead in " + excluded.size()
                            + " namespaces, more than " + MOST_EXCLUSIONS));
        }
        boolean isAll = party.asks().stream().noneMatch(PrecedenceScope::mayReachClusterObjects)
                && namespaces.keySet().stream()
                        .filter(namespace -> !excluded.contains(namespace))
                        .noneMatch(namespace -> sees(party, namespace));
        return PrecedenceOutcome.of(new Loss.Namespaces(by, excluded, isAll));
    }

    private boolean sees(Party party, String namespace) {
        return Optional.ofNullable(namespaces.get(namespace))
                .filter(labels ->
                        party.asks().stream().anyMatch(asked -> asked.selects(namespace, labels, serverNamespace)))
                .isPresent();
    }
}
