package io.portcullis.core.precedence;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.core.overlap.ResourcePattern;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks invariants with random policies and all requests of a small cluster. {@code -Dseed=…} repeats a run. */
class PrecedenceInvariantsTest {

    private static final int RUNS = 500;
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final Set<String> CLUSTER_RESOURCES = Set.of("namespaces", "nodes");

    /** @param namespace set also for requests about the namespace object itself; empty for other cluster-scoped objects */
    record Request(
            String namespace,
            String resource,
            String operation,
            Map<String, String> labels,
            Set<String> conditions,
            boolean isEquivalent) {}

    private static final List<Request> REQUESTS = requests();

    private static List<Request> requests() {
        var requests = new ArrayList<Request>();
        for (String resource : List.of("pods", "pods/exec", "services", "namespaces", "nodes")) {
            for (String namespace : resource.equals("nodes") ? List.of("") : List.of("dev", "prod", Parties.SERVERS)) {
                for (String operation : List.of("CREATE", "UPDATE")) {
                    for (Map<String, String> labels : List.<Map<String, String>>of(Map.of(), Map.of("side", "left"))) {
                        for (Set<String> conditions : List.of(Set.<String>of(), Set.of("a"))) {
                            requests.add(new Request(namespace, resource, operation, labels, conditions, false));
                            requests.add(new Request(namespace, resource, operation, labels, conditions, true));
                        }
                    }
                }
            }
        }
        return requests;
    }

    @Test
    void policiesLoseOnlyRequestsThatAnotherPolicyEnforces() {
        for (int run = 0; run < RUNS; run++) {
            var parties = parties(new Random(SEED + run));
            var outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
            for (Party party : parties) {
                for (Request request : REQUESTS) {
                    boolean isLost =
                            party.requestedScopes().stream().anyMatch(requested -> receives(party, requested, request))
                                    && party.requestedScopes().stream()
                                            .noneMatch(requested ->
                                                    keeps(party, requested, get(outcomes, party.policy()), request));
                    boolean isEnforcedByAnother = parties.stream()
                            .anyMatch(other -> !other.equals(party)
                                    && other.key().equals(party.key())
                                    && other.enforcedScope()
                                            .filter(enforced ->
                                                    keeps(other, enforced, get(outcomes, other.policy()), request))
                                            .isPresent());
                    assertThat(!isLost || isEnforcedByAnother)
                            .as(
                                    "-Dseed=%d, run %d: %s loses %s and no other policy enforces it",
                                    SEED, run, party, request)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void outcomesDoNotDependOnTheOrderAndExistForEveryPolicy() {
        for (int run = 0; run < RUNS; run++) {
            var random = new Random(SEED + run);
            var parties = parties(random);
            var outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
            assertThat(outcomes).hasSameSizeAs(parties);
            Collections.shuffle(parties, random);
            assertThat(PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS))
                    .as("-Dseed=%d, world %d", SEED, run)
                    .isEqualTo(outcomes);
        }
    }

    /**
     * Applies the outcomes repeatedly. A cluster-wide policy without webhook and a namespaced policy with a loss no longer
     * enforce their scope. After four passes the outcomes must not change any more.
     */
    @Test
    void outcomesConverge() {
        for (int run = 0; run < RUNS; run++) {
            var parties = parties(new Random(SEED + run));
            var healthy = parties.stream()
                    .filter(party -> party.enforcedScope().isPresent())
                    .map(Party::policy)
                    .collect(Collectors.toSet());
            var outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
            for (int pass = 0; pass < 6; pass++) {
                var before = outcomes;
                parties = parties.stream()
                        .map(party -> withEnforcement(
                                party,
                                healthy.contains(party.policy()) && isEnforced(party, get(before, party.policy()))))
                        .collect(Collectors.toCollection(ArrayList::new));
                outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
                if (pass >= 4) {
                    assertThat(outcomes).as("-Dseed=%d, world %d", SEED, run).isEqualTo(before);
                }
            }
        }
    }

    @Test
    void policiesLoseNothingWithoutAStrategy() {
        for (int run = 0; run < RUNS; run++) {
            var parties = parties(new Random(SEED + run)).stream()
                    .filter(Party::isNamespaced)
                    .toList();
            assertThat(PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS)
                            .values())
                    .allMatch(PrecedenceOutcome.UNTOUCHED::equals);
        }
    }

    private static <K, V> V get(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key));
    }

    private static boolean isEnforced(Party party, PrecedenceOutcome outcome) {
        return party.isNamespaced()
                ? outcome.loss() instanceof Loss.Nothing
                : !outcome.loss().isTotal();
    }

    private static Party withEnforcement(Party party, boolean isEnforced) {
        return new Party(
                party.policy(),
                party.key(),
                party.createdAt(),
                party.strategy(),
                party.requestedScopes(),
                isEnforced ? Optional.of(party.requestedScopes().getLast()) : Optional.empty());
    }

    /** Decides as an API server does, without the code under test. */
    private static boolean receives(Party party, PrecedenceScope scope, Request request) {
        boolean isClusterObject = CLUSTER_RESOURCES.contains(request.resource());
        boolean isNamespaceMatched;
        if (party.isNamespaced()) {
            isNamespaceMatched = !isClusterObject
                    && request.namespace().equals(party.policy().namespace());
        } else {
            isNamespaceMatched = request.namespace().isEmpty()
                    || (scope.namespaces().accept(get(Parties.NAMESPACES, request.namespace()))
                            && (scope.includesServers() || !request.namespace().equals(Parties.SERVERS)));
        }
        return isNamespaceMatched && matches(scope, scope.rules(), request);
    }

    private static boolean matches(PrecedenceScope scope, List<RuleWithOperations> rules, Request request) {
        var wanted = CLUSTER_RESOURCES.contains(request.resource()) ? "Cluster" : "Namespaced";
        return scope.objects().accept(request.labels())
                && request.conditions().containsAll(scope.conditions())
                && !(scope.isExact() && request.isEquivalent())
                && rules.stream()
                        .anyMatch(rule -> List.of("*", wanted).contains(rule.getScope())
                                && (rule.getOperations().contains("*")
                                        || rule.getOperations().contains(request.operation()))
                                && rule.getResources().stream()
                                        .anyMatch(resource -> ResourcePattern.parse(resource)
                                                .meets(ResourcePattern.parse(request.resource()))));
    }

    private static boolean keeps(Party party, PrecedenceScope scope, PrecedenceOutcome outcome, Request request) {
        return receives(party, scope, request)
                && switch (outcome.loss()) {
                    case Loss.Nothing _ -> true;
                    case Loss.Everything _, Loss.Conflict _ -> false;
                    case Loss.Namespaces lost -> !lost.names().contains(request.namespace());
                    case Loss.Rules lost -> matches(scope, scope.without(lost.takers()), request);
                };
    }

    private static List<Party> parties(Random random) {
        var parties = new ArrayList<Party>();
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            boolean isNamespaced = random.nextBoolean();
            var kind = isNamespaced
                    ? one(random, PolicyKind.ADMISSION_POLICY, PolicyKind.ADMISSION_POLICY_GROUP)
                    : one(random, PolicyKind.CLUSTER_ADMISSION_POLICY, PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP);
            var requestedScopes = new ArrayList<PrecedenceScope>();
            for (int version = random.nextInt(4) == 0 ? 2 : 1; version > 0; version--) {
                requestedScopes.add(scope(random, kind));
            }
            parties.add(new Party(
                    new PolicyRef(kind, isNamespaced ? one(random, "dev", "prod", Parties.SERVERS) : "", "p" + i),
                    random.nextInt(5) == 0 ? "other" : "key",
                    Instant.ofEpochSecond(random.nextInt(4)),
                    isNamespaced
                            ? Optional.empty()
                            : Optional.of(one(random, MergeStrategy.DEFAULTS, MergeStrategy.OVERRIDES)),
                    requestedScopes,
                    random.nextInt(4) == 0 ? Optional.empty() : Optional.of(requestedScopes.getLast())));
        }
        return parties;
    }

    private static PrecedenceScope scope(Random random, PolicyKind kind) {
        var rules = new ArrayList<String>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            rules.add(Parties.rule(
                    one(
                            random,
                            "pods",
                            "pods",
                            "pods, services",
                            "'pods/*'",
                            "pods/exec",
                            "'*'",
                            "'*/*'",
                            "namespaces",
                            "pods, nodes"),
                    one(random, "CREATE", "CREATE, UPDATE", "'*'"),
                    one(random, "*", "Namespaced", "Namespaced", "Cluster")));
        }
        return Parties.scope(
                kind,
                String.join(", ", rules),
                one(
                        random,
                        "",
                        "",
                        "",
                        "objectSelector: {matchLabels: {side: left}}",
                        "matchConditions: [{name: c, expression: a}]",
                        "matchPolicy: Exact",
                        "namespaceSelector: {matchLabels: {tier: high}}",
                        "allowInsideAdmissionControllerNamespace: true"));
    }

    @SafeVarargs
    private static <T> T one(Random random, T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
