package io.portcullis.core.precedence;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.testkit.sample.Samples;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds parties for precedence tests. */
final class Parties {

    /** The namespace of the policy servers. */
    static final String SERVERS = "kubewarden";

    static final String PODS = rule("pods", "CREATE", "Namespaced");

    /** Every namespace has its name as a label. */
    static final Map<String, Map<String, String>> NAMESPACES = Map.of(
            "dev",
            Map.of("kubernetes.io/metadata.name", "dev", "tier", "low"),
            "prod",
            Map.of("kubernetes.io/metadata.name", "prod", "tier", "high"),
            SERVERS,
            Map.of("kubernetes.io/metadata.name", SERVERS));

    private Parties() {}

    static String rule(String resources, String operations, String scope) {
        return "{apiGroups: [''], apiVersions: [v1], resources: [%s], operations: [%s], scope: '%s'}"
                .formatted(resources, operations, scope);
    }

    static PrecedenceScope scope(PolicyKind kind, String rules, String more) {
        ObjectNode spec = Samples.yaml("{rules: [%s], module: 'registry://x', mutating: false%s}"
                .formatted(rules, more.isEmpty() ? "" : ", " + more));
        if (kind.isGroup()) {
            spec.remove(List.of("module", "mutating"));
            spec.setAll(Samples.yaml("{expression: 'a()', message: m, policies: {a: {module: 'registry://x'}}}"));
        }
        return PrecedenceScope.of(kind, PolicySpec.read(kind, spec).match());
    }

    static Party cluster(String name, int age, MergeStrategy strategy, String rules) {
        return cluster(name, age, strategy, rules, "");
    }

    static Party cluster(String name, int age, MergeStrategy strategy, String rules, String more) {
        return party(
                new PolicyRef(PolicyKind.CLUSTER_ADMISSION_POLICY, "", name), age, Optional.of(strategy), rules, more);
    }

    static Party namespaced(String namespace, String name, String rules) {
        return namespaced(namespace, name, rules, "");
    }

    static Party namespaced(String namespace, String name, String rules, String more) {
        return party(new PolicyRef(PolicyKind.ADMISSION_POLICY, namespace, name), 5, Optional.empty(), rules, more);
    }

    private static Party party(PolicyRef policy, int age, Optional<MergeStrategy> strategy, String rules, String more) {
        var scope = scope(policy.kind(), rules, more);
        return new Party(
                policy, "key", Instant.ofEpochSecond(1000L - age), strategy, List.of(scope), Optional.of(scope));
    }

    /** Returns a copy of the party without an enforced scope. */
    static Party idle(Party party) {
        return new Party(
                party.policy(),
                party.key(),
                party.createdAt(),
                party.strategy(),
                party.requestedScopes(),
                Optional.empty());
    }

    static Party withKey(String key, Party party) {
        return new Party(
                party.policy(),
                key,
                party.createdAt(),
                party.strategy(),
                party.requestedScopes(),
                party.enforcedScope());
    }

    /** Returns a copy of the party with an update in progress that requests other rules. */
    static Party updating(Party party, String rules) {
        var requestedScopes = new ArrayList<>(party.requestedScopes());
        requestedScopes.add(scope(party.policy().kind(), rules, ""));
        return new Party(
                party.policy(),
                party.key(),
                party.createdAt(),
                party.strategy(),
                requestedScopes,
                party.enforcedScope());
    }

    /** Describes the losses of all parties as text. Parties that lose nothing are left out. */
    static String describe(List<Party> parties, Map<String, Map<String, String>> namespaces) {
        var outcomes = PrecedenceRules.decide(parties, namespaces, SERVERS);
        var lines = new ArrayList<String>();
        outcomes.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> {
            var description = describe(entry.getValue());
            if (!description.isEmpty()) {
                lines.add(entry.getKey().name() + description);
            }
        });
        return String.join("; ", lines);
    }

    private static String describe(PrecedenceOutcome outcome) {
        var by = outcome.loss().by().stream().map(PolicyRef::name).toList();
        var notice = outcome.notice().map(text -> " notice: " + text).orElse("");
        return notice
                + switch (outcome.loss()) {
                    case Loss.Nothing _ -> "";
                    case Loss.Everything _ -> " loses all to " + by;
                    case Loss.Conflict _ -> " conflicts with " + by;
                    case Loss.Namespaces lost ->
                        " leaves " + lost.names() + " to " + by + (lost.isAll() ? ", which is all" : "");
                    case Loss.Rules _ -> " loses rules to " + by;
                };
    }
}
