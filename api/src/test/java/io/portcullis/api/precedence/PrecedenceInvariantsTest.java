package io.portcullis.api.precedence;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.overlap.ResourcePattern;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
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

/** Random policies and every request of a small world. Seeded; {@code -Dseed=…} repeats a run. */
class PrecedenceInvariantsTest {

    private static final int WORLDS = 500;
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final Set<String> CLUSTER_RESOURCES = Set.of("namespaces", "nodes");

    /** @param namespace also of a request about the namespace itself; empty for other cluster objects */
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
    void nobodyLosesWhatNoOtherJudges() {
        for (int world = 0; world < WORLDS; world++) {
            var parties = parties(new Random(SEED + world));
            var outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
            for (Party party : parties) {
                for (Request request : REQUESTS) {
                    boolean isLost = party.asks().stream().anyMatch(asked -> sees(party, asked, request))
                            && party.asks().stream()
                                    .noneMatch(asked -> keeps(party, asked, known(outcomes, party.policy()), request));
                    boolean isJudged = parties.stream()
                            .anyMatch(other -> !other.equals(party)
                                    && other.key().equals(party.key())
                                    && other.judges()
                                            .filter(judged ->
                                                    keeps(other, judged, known(outcomes, other.policy()), request))
                                            .isPresent());
                    assertThat(!isLost || isJudged)
                            .as("-Dseed=%d, world %d: %s loses %s and nobody judges it", SEED, world, party, request)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void theOrderOfPoliciesMeansNothingAndEverybodyHasAnOutcome() {
        for (int world = 0; world < WORLDS; world++) {
            var random = new Random(SEED + world);
            var parties = parties(random);
            var outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
            assertThat(outcomes).hasSameSizeAs(parties);
            Collections.shuffle(parties, random);
            assertThat(PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS))
                    .as("-Dseed=%d, world %d", SEED, world)
                    .isEqualTo(outcomes);
        }
    }

    /** Who lost its webhook judges nothing, who lost something is not enforced: what follows from that follows no further. */
    @Test
    void outcomesComeToRest() {
        for (int world = 0; world < WORLDS; world++) {
            var parties = parties(new Random(SEED + world));
            var healthy = parties.stream()
                    .filter(party -> party.judges().isPresent())
                    .map(Party::policy)
                    .collect(Collectors.toSet());
            var outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
            for (int round = 0; round < 6; round++) {
                var before = outcomes;
                parties = parties.stream()
                        .map(party -> judging(
                                party, healthy.contains(party.policy()) && isOn(party, known(before, party.policy()))))
                        .collect(Collectors.toCollection(ArrayList::new));
                outcomes = PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS);
                if (round >= 4) {
                    assertThat(outcomes).as("-Dseed=%d, world %d", SEED, world).isEqualTo(before);
                }
            }
        }
    }

    @Test
    void withoutAStrategyNothingHappens() {
        for (int world = 0; world < WORLDS; world++) {
            var parties = parties(new Random(SEED + world)).stream()
                    .filter(Party::isNamespaced)
                    .toList();
            assertThat(PrecedenceRules.decide(parties, Parties.NAMESPACES, Parties.SERVERS)
                            .values())
                    .allMatch(PrecedenceOutcome.UNTOUCHED::equals);
        }
    }

    private static <K, V> V known(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key));
    }

    private static boolean isOn(Party party, PrecedenceOutcome outcome) {
        return party.isNamespaced()
                ? outcome.loss() instanceof Loss.Nothing
                : !(outcome.loss() instanceof Loss.Everything);
    }

    private static Party judging(Party party, boolean judges) {
        return new Party(
                party.policy(),
                party.key(),
                party.createdAt(),
                party.strategy(),
                party.asks(),
                judges ? Optional.of(party.asks().getLast()) : Optional.empty());
    }

    /** As an API server decides, written without the code under test. */
    private static boolean sees(Party party, PrecedenceScope scope, Request request) {
        boolean isClusterObject = CLUSTER_RESOURCES.contains(request.resource());
        boolean isPlace;
        if (party.isNamespaced()) {
            isPlace = !isClusterObject
                    && request.namespace().equals(party.policy().namespace());
        } else {
            isPlace = request.namespace().isEmpty()
                    || (scope.namespaces().accept(known(Parties.NAMESPACES, request.namespace()))
                            && (scope.includesServers() || !request.namespace().equals(Parties.SERVERS)));
        }
        return isPlace && matches(scope, scope.rules(), request);
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
        return sees(party, scope, request)
                && switch (outcome.loss()) {
                    case Loss.Nothing _ -> true;
                    case Loss.Everything _ -> false;
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
            var asks = new ArrayList<PrecedenceScope>();
            for (int version = random.nextInt(4) == 0 ? 2 : 1; version > 0; version--) {
                asks.add(scope(random, kind));
            }
            parties.add(new Party(
                    new PolicyRef(kind, isNamespaced ? one(random, "dev", "prod", Parties.SERVERS) : "", "p" + i),
                    random.nextInt(5) == 0 ? "other" : "key",
                    Instant.ofEpochSecond(random.nextInt(4)),
                    isNamespaced
                            ? Optional.empty()
                            : Optional.of(one(random, MergeStrategy.DEFAULTS, MergeStrategy.OVERRIDES)),
                    asks,
                    random.nextInt(4) == 0 ? Optional.empty() : Optional.of(asks.getLast())));
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
