package io.portcullis.core.precedence;

import static io.portcullis.core.precedence.MergeStrategy.DEFAULTS;
import static io.portcullis.core.precedence.MergeStrategy.OVERRIDES;
import static io.portcullis.core.precedence.Parties.NAMESPACES;
import static io.portcullis.core.precedence.Parties.PODS;
import static io.portcullis.core.precedence.Parties.cluster;
import static io.portcullis.core.precedence.Parties.idle;
import static io.portcullis.core.precedence.Parties.namespaced;
import static io.portcullis.core.precedence.Parties.rule;
import static io.portcullis.core.precedence.Parties.updating;
import static io.portcullis.core.precedence.Parties.withKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.PolicyKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PrecedenceRulesTest {

    record Row(String name, String expected, List<Party> parties) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Row row(String name, String expected, Party... parties) {
        return new Row(name, expected, List.of(parties));
    }

    private static final String BOTH = rule("pods, services", "CREATE", "Namespaced");
    private static final String TIER_HIGH = "namespaceSelector: {matchLabels: {tier: high}}";
    private static final String LABELLED = "objectSelector: {matchLabels: {side: left}}";
    private static final String CONDITION = "matchConditions: [{name: c, expression: 'a > 1'}]";

    static Stream<Row> overrides() {
        var boss = cluster("boss", 9, OVERRIDES, PODS);
        return Stream.of(
                row("same rules", "mine loses all to [boss]", boss, namespaced("dev", "mine", PODS)),
                row(
                        "two of them",
                        "one loses all to [boss]; two loses all to [boss]",
                        boss,
                        namespaced("dev", "one", PODS),
                        namespaced("prod", "two", PODS)),
                row(
                        "overridden policy is not enforced",
                        "mine loses all to [boss]",
                        boss,
                        idle(namespaced("dev", "mine", PODS))),
                row(
                        "overridden policy has more rules",
                        "mine loses rules to [boss]",
                        boss,
                        namespaced("dev", "mine", BOTH)),
                row(
                        "two overrides together take all rules",
                        "mine loses all to [boss, other]",
                        boss,
                        cluster("other", 8, OVERRIDES, rule("services", "'*'", "*")),
                        namespaced("dev", "mine", BOTH)),
                row("nothing in common", "", boss, namespaced("dev", "mine", rule("services", "CREATE", "*"))),
                row("another key", "", boss, withKey("other", namespaced("dev", "mine", PODS))),
                row("overriding policy has no webhook", "", idle(boss), namespaced("dev", "mine", PODS)),
                row("namespace is not known", "", boss, namespaced("nowhere", "mine", PODS)),
                row("the servers' namespace", "", boss, namespaced(Parties.SERVERS, "mine", PODS)),
                row(
                        "the servers' namespace is included explicitly",
                        "mine loses all to [loud]",
                        cluster("loud", 9, OVERRIDES, PODS, "allowInsideAdmissionControllerNamespace: true"),
                        namespaced(Parties.SERVERS, "mine", PODS)),
                row(
                        "only where it is selected",
                        "two loses all to [high]",
                        cluster("high", 9, OVERRIDES, PODS, TIER_HIGH),
                        namespaced("dev", "one", PODS),
                        namespaced("prod", "two", PODS)),
                row(
                        "receives other objects only",
                        "",
                        cluster("left", 9, OVERRIDES, PODS, LABELLED),
                        namespaced("dev", "mine", PODS)),
                row(
                        "receives the same objects",
                        "mine loses all to [left]",
                        cluster("left", 9, OVERRIDES, PODS, LABELLED),
                        namespaced("dev", "mine", PODS, LABELLED)),
                row(
                        "a condition may exclude requests",
                        "",
                        cluster("maybe", 9, OVERRIDES, PODS, CONDITION),
                        namespaced("dev", "mine", PODS)),
                row(
                        "the same conditions",
                        "mine loses all to [maybe]",
                        cluster("maybe", 9, OVERRIDES, PODS, CONDITION),
                        namespaced("dev", "mine", PODS, CONDITION)),
                row(
                        "exact versions only",
                        "",
                        cluster("exact", 9, OVERRIDES, PODS, "matchPolicy: Exact"),
                        namespaced("dev", "mine", PODS)),
                row(
                        "cluster objects only",
                        "",
                        cluster("boss", 9, OVERRIDES, rule("pods", "CREATE", "Cluster")),
                        namespaced("dev", "mine", PODS)),
                row(
                        "an update still serves more",
                        "mine loses rules to [boss]",
                        boss,
                        updating(namespaced("dev", "mine", BOTH), PODS)),
                row(
                        "wildcards",
                        "mine loses all to [boss]",
                        cluster("boss", 9, OVERRIDES, rule("'*/*'", "'*'", "*")),
                        namespaced("dev", "mine", rule("pods, pods/exec", "CREATE, CONNECT", "*"))));
    }

    static Stream<Row> defaults() {
        var common = cluster("common", 9, DEFAULTS, PODS);
        var all = rule("pods", "CREATE, UPDATE, DELETE, CONNECT", "Namespaced");
        return Stream.of(
                row(
                        "namespaced policy is enforced",
                        "common leaves [dev] to [mine]",
                        common,
                        namespaced("dev", "mine", PODS)),
                row("namespaced policy is not enforced", "", common, idle(namespaced("dev", "mine", PODS))),
                row(
                        "everywhere",
                        "common leaves [dev, prod] to [one, two], which is all",
                        common,
                        namespaced("dev", "one", PODS),
                        namespaced("prod", "two", PODS)),
                row(
                        "everywhere, but cluster-scoped objects may remain",
                        "common leaves [dev, prod] to [one, two]",
                        cluster("common", 9, DEFAULTS, rule("pods", "CREATE", "*")),
                        namespaced("dev", "one", PODS),
                        namespaced("prod", "two", PODS)),
                row(
                        "all that is selected",
                        "common leaves [prod] to [two], which is all",
                        cluster("common", 9, DEFAULTS, PODS, TIER_HIGH),
                        namespaced("dev", "one", PODS),
                        namespaced("prod", "two", PODS)),
                row("more than needed", "common leaves [dev] to [mine]", common, namespaced("dev", "mine", BOTH)),
                row("less than needed", "", cluster("common", 9, DEFAULTS, BOTH), namespaced("dev", "mine", PODS)),
                row(
                        "two policies together do not replace a default",
                        "",
                        cluster("common", 9, DEFAULTS, BOTH),
                        namespaced("dev", "one", PODS),
                        namespaced("dev", "two", rule("services", "CREATE", "*"))),
                row(
                        "all operations",
                        "common leaves [dev] to [mine]",
                        cluster("common", 9, DEFAULTS, rule("pods", "'*'", "Namespaced")),
                        namespaced("dev", "mine", all)),
                row("some objects only", "", common, namespaced("dev", "mine", PODS, LABELLED)),
                row("some conditions only", "", common, namespaced("dev", "mine", PODS, CONDITION)),
                row(
                        "requests about the namespace itself would be lost",
                        "",
                        cluster("common", 9, DEFAULTS, rule("namespaces, pods", "CREATE", "*")),
                        namespaced("dev", "mine", rule("namespaces, pods", "CREATE", "*"))),
                row("an update that asks for more", "", updating(common, BOTH), namespaced("dev", "mine", PODS)),
                row(
                        "a namespaced policy cannot enable precedence",
                        "",
                        namespaced("dev", "one", PODS),
                        namespaced("dev", "two", PODS)),
                row(
                        "an overridden policy does not replace a default",
                        "mine loses all to [boss]",
                        cluster("boss", 3, OVERRIDES, PODS, TIER_HIGH),
                        cluster("common", 9, DEFAULTS, PODS),
                        namespaced("prod", "mine", PODS)));
    }

    static Stream<Row> sameLevel() {
        return Stream.of(
                row(
                        "the older of two that override",
                        "young loses all to [old]",
                        cluster("old", 9, OVERRIDES, BOTH),
                        cluster("young", 1, OVERRIDES, PODS)),
                row(
                        "the newer of two defaults",
                        "old loses all to [young]",
                        cluster("old", 9, DEFAULTS, PODS),
                        cluster("young", 1, DEFAULTS, BOTH)),
                row(
                        "the newer of two defaults has fewer rules",
                        "",
                        cluster("old", 9, DEFAULTS, BOTH),
                        cluster("young", 1, DEFAULTS, PODS)),
                row(
                        "overrides before defaults",
                        "old loses all to [young]",
                        cluster("old", 9, DEFAULTS, PODS),
                        cluster("young", 1, OVERRIDES, PODS)),
                row(
                        "overrides before newer defaults",
                        "young loses all to [old]",
                        cluster("old", 9, OVERRIDES, PODS),
                        cluster("young", 1, DEFAULTS, PODS)),
                row(
                        "the winner has no webhook",
                        "",
                        idle(cluster("old", 9, OVERRIDES, BOTH)),
                        cluster("young", 1, OVERRIDES, PODS)),
                row(
                        "the winner has fewer rules",
                        "",
                        cluster("old", 9, OVERRIDES, PODS),
                        cluster("young", 1, OVERRIDES, BOTH)),
                row(
                        "the winner matches fewer namespaces",
                        "",
                        cluster("old", 9, OVERRIDES, PODS, TIER_HIGH),
                        cluster("young", 1, OVERRIDES, PODS)),
                row(
                        "the loser matches fewer namespaces",
                        "young loses all to [old]",
                        cluster("old", 9, OVERRIDES, PODS),
                        cluster("young", 1, OVERRIDES, PODS, TIER_HIGH)),
                row(
                        "the loser also matches the servers' namespace",
                        "",
                        cluster("old", 9, OVERRIDES, PODS),
                        cluster("young", 1, OVERRIDES, PODS, "allowInsideAdmissionControllerNamespace: true")),
                row(
                        "three: all to the first",
                        "three loses all to [one]; two loses all to [one]",
                        cluster("one", 9, OVERRIDES, rule("'*'", "'*'", "Namespaced")),
                        cluster("two", 8, OVERRIDES, BOTH),
                        cluster("three", 7, OVERRIDES, PODS)),
                row(
                        "other keys",
                        "",
                        cluster("old", 9, OVERRIDES, PODS),
                        withKey("other", cluster("young", 1, OVERRIDES, PODS))));
    }

    static Stream<Row> conflicts() {
        return Stream.of(
                row(
                        "two that override the same scope",
                        "young conflicts with [old]",
                        cluster("old", 9, OVERRIDES, PODS),
                        cluster("young", 1, OVERRIDES, PODS)),
                row(
                        "two defaults for the same scope: the older keeps it",
                        "young conflicts with [old]",
                        cluster("old", 9, DEFAULTS, PODS),
                        cluster("young", 1, DEFAULTS, PODS)),
                row(
                        "same second: by name",
                        "b conflicts with [a]",
                        cluster("a", 9, OVERRIDES, PODS),
                        cluster("b", 9, OVERRIDES, PODS)),
                row(
                        "the same scope in other words",
                        "young conflicts with [old]",
                        cluster("old", 9, OVERRIDES, BOTH),
                        cluster(
                                "young",
                                1,
                                OVERRIDES,
                                rule("services", "CREATE", "Namespaced")
                                        + ", "
                                        + rule("pods", "CREATE", "Namespaced"))),
                row(
                        "the same selectors and conditions",
                        "young conflicts with [old]",
                        cluster("old", 9, DEFAULTS, PODS, LABELLED + ", " + CONDITION + ", " + TIER_HIGH),
                        cluster("young", 1, DEFAULTS, PODS, LABELLED + ", " + CONDITION + ", " + TIER_HIGH)),
                row(
                        "other selectors",
                        "",
                        cluster("old", 9, OVERRIDES, PODS, LABELLED),
                        cluster("young", 1, OVERRIDES, PODS, TIER_HIGH)),
                row(
                        "other strategies",
                        "old loses all to [young]",
                        cluster("old", 9, DEFAULTS, PODS),
                        cluster("young", 1, OVERRIDES, PODS)),
                row(
                        "the older has no webhook: the younger stays enforced",
                        "",
                        idle(cluster("old", 9, OVERRIDES, PODS)),
                        cluster("young", 1, OVERRIDES, PODS)),
                row(
                        "the older default has no webhook: the younger does not keep it from getting one",
                        "",
                        idle(cluster("old", 9, DEFAULTS, PODS)),
                        cluster("young", 1, DEFAULTS, PODS)),
                row(
                        "the younger has no webhook",
                        "young conflicts with [old]",
                        cluster("old", 9, DEFAULTS, PODS),
                        idle(cluster("young", 1, DEFAULTS, PODS))),
                row(
                        "an update of the younger asks for more",
                        "",
                        cluster("old", 9, OVERRIDES, PODS),
                        updating(cluster("young", 1, OVERRIDES, PODS), BOTH)),
                row(
                        "three with the same claim",
                        "three conflicts with [one, two]; two conflicts with [one]",
                        cluster("one", 9, OVERRIDES, PODS),
                        cluster("two", 8, OVERRIDES, PODS),
                        cluster("three", 7, OVERRIDES, PODS)),
                row(
                        "a policy in conflict overrides nothing itself",
                        "mine loses all to [old]; young conflicts with [old]",
                        cluster("old", 9, OVERRIDES, PODS),
                        cluster("young", 1, OVERRIDES, PODS),
                        namespaced("dev", "mine", PODS)),
                row(
                        "namespaced policies have no strategy",
                        "",
                        namespaced("dev", "one", PODS),
                        namespaced("dev", "two", PODS)),
                row(
                        "other keys",
                        "",
                        cluster("old", 9, OVERRIDES, PODS),
                        withKey("other", cluster("young", 1, OVERRIDES, PODS))));
    }

    @ParameterizedTest
    @MethodSource({"overrides", "defaults", "sameLevel", "conflicts"})
    void decidesWhichRequestsPoliciesLose(Row row) {
        assertThat(Parties.describe(row.parties(), NAMESPACES)).isEqualTo(row.expected());
        assertThat(Parties.describe(row.parties().reversed(), NAMESPACES)).isEqualTo(row.expected());
    }

    @Test
    void computesTheRemainingRulesExactly() {
        var requested =
                Parties.scope(PolicyKind.ADMISSION_POLICY, rule("pods, services, secrets", "CREATE, UPDATE", "*"), "");
        var taken = cluster("boss", 1, OVERRIDES, rule("pods", "'*'", "*") + ", " + rule("services", "UPDATE", "*"));

        assertThat(requested.without(taken.requestedScopes()))
                .extracting(remaining ->
                        remaining.getResources() + " " + remaining.getOperations() + " " + remaining.getScope())
                .containsExactly("[services] [CREATE] Namespaced", "[secrets] [CREATE, UPDATE] Namespaced");
    }

    @Test
    void excludesNoNamespaceWhenMoreThanTwoHundredQualify() {
        var few = many(200);
        var tooMany = many(201);

        assertThat(Parties.describe(few, namespaces(201))).startsWith("common leaves [n0, n1, n10,");
        assertThat(Parties.describe(tooMany, namespaces(201)))
                .isEqualTo("common notice: it stays enforced everywhere: policies of its key would replace it in 201"
                        + " namespaces, more than 200");
    }

    private static List<Party> many(int count) {
        var parties = new ArrayList<Party>();
        parties.add(cluster("common", 1, DEFAULTS, PODS));
        for (int i = 0; i < count; i++) {
            parties.add(namespaced("n" + i, "mine", PODS));
        }
        return parties;
    }

    private static Map<String, Map<String, String>> namespaces(int count) {
        Map<String, Map<String, String>> namespaces = new HashMap<>();
        for (int i = 0; i < count; i++) {
            namespaces.put("n" + i, Map.of("kubernetes.io/metadata.name", "n" + i));
        }
        return namespaces;
    }
}
