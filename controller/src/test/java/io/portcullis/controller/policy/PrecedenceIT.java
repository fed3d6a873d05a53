package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ACCEPTED;
import static io.portcullis.api.condition.ConditionType.ENFORCED;
import static io.portcullis.api.condition.ConditionType.POLICY_AFFECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.webhook.WebhookNames;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Precedence of cluster-wide policies by annotations, on a real API server. */
@Tag("level1")
@RealCluster
class PrecedenceIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static SimulatedInstallation installation;
    private static String dev;
    private static String labelled;

    @BeforeAll
    static void install(TestCluster cluster) {
        installation = new SimulatedInstallation(cluster);
        // Unique names for each run, because no controller completes the deletion of namespaces in this cluster.
        dev = cluster.namespace() + "-dev";
        labelled = cluster.namespace() + "-labelled";
        cluster.apply(namespace(dev, Map.of()));
        cluster.apply(namespace(labelled, Map.of()));
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    private static Namespace namespace(String name, Map<String, String> labels) {
        return new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build();
    }

    private static Consumer<ObjectNode> on(String... resources) {
        return spec -> {
            var rule = spec.putArray("rules").addObject();
            rule.putArray("apiGroups").add("nothing.example.com");
            rule.putArray("apiVersions").add("v1");
            List.of(resources).forEach(rule.putArray("resources")::add);
            rule.putArray("operations").add("CREATE");
            rule.put("scope", "Namespaced");
        };
    }

    private static Predicate<PolicyStatus> enforced(String reason) {
        return status -> status.condition(ENFORCED)
                .filter(condition -> condition.reason().equals(reason))
                .isPresent();
    }

    private static Predicate<PolicyStatus> accepted(String reason) {
        return status -> status.condition(ACCEPTED)
                .filter(condition -> condition.reason().equals(reason))
                .isPresent();
    }

    private static void setMergeStrategy(SimulatedPolicy policy, String key, String strategy) {
        policy.annotations(annotations -> {
            annotations.put(PolicyNames.POLICY_KEY, key);
            annotations.put(PolicyNames.MERGE_STRATEGY, strategy);
        });
    }

    private static List<String> excluded(SimulatedPolicy policy) {
        return policy.webhook().stream()
                .flatMap(webhook -> webhook.namespaceSelector().stream())
                .flatMap(selector -> selector.getMatchExpressions().stream())
                .filter(requirement -> requirement.getKey().equals(WebhookNames.NAMESPACE_NAME))
                .map(LabelSelectorRequirement::getValues)
                .flatMap(List::stream)
                .filter(name -> !name.equals(installation.namespace()))
                .toList();
    }

    @Test
    void anOverridingPolicyRemovesAndRestoresWebhooksOfNamespacedPolicies() {
        var server = installation.server(1);
        var overriding = SimulatedPolicy.create(installation, "boss", server, on("ones"));
        var mine = SimulatedPolicy.namespaced(installation, dev, "mine", server, on("ones"));
        var more = SimulatedPolicy.namespaced(installation, dev, "more", server, on("ones", "twos"));
        for (SimulatedPolicy policy : List.of(overriding, mine, more)) {
            policy.awaitWithServers(enforced("Enforced"), LIMIT);
        }
        mine.annotate(PolicyNames.POLICY_KEY, "privileged");
        more.annotate(PolicyNames.POLICY_KEY, "privileged");

        setMergeStrategy(overriding, "privileged", "overrides");

        var status = mine.await(enforced("Overridden"), LIMIT);
        assertThat(status.condition(ENFORCED).orElseThrow().message())
                .isEqualTo("AdmissionPolicy is overridden by [boss (ClusterAdmissionPolicy)]");
        assertThat(status.condition(POLICY_AFFECTED)).map(Condition::isTrue).contains(true);
        assertThat(mine.webhooks()).isEmpty();
        var partial = more.await(enforced("PartiallyEnforced"), LIMIT);
        assertThat(partial.condition(ENFORCED).orElseThrow().message())
                .contains("overridden in part by [boss (ClusterAdmissionPolicy)]");
        var remaining =
                (ValidatingWebhookConfiguration) more.webhook().orElseThrow().object();
        assertThat(remaining.getWebhooks().getFirst().getRules().getFirst().getResources())
                .containsExactly("twos");
        assertThat(overriding.get().getStatus()).matches(enforced("Enforced"));

        overriding.annotations(annotations -> annotations.remove(PolicyNames.MERGE_STRATEGY));

        for (SimulatedPolicy policy : List.of(mine, more)) {
            policy.await(enforced("Enforced"), LIMIT);
            assertThat(policy.webhook()).isPresent();
        }
        assertThat(installation.metrics())
                .as("only the controller changed webhooks")
                .contains("kubewarden_webhook_drift_total 0");
    }

    @Test
    void theYoungerOfTwoPoliciesWithTheSameClaimIsConflicted() {
        var server = installation.server(1);
        var older = SimulatedPolicy.create(installation, "claim-a", server, on("fives"));
        setMergeStrategy(older, "claims", "defaults");
        var younger = SimulatedPolicy.create(installation, "claim-b", server, on("fives"));
        for (SimulatedPolicy policy : List.of(older, younger)) {
            policy.awaitWithServers(enforced("Enforced"), LIMIT);
        }

        setMergeStrategy(younger, "claims", "defaults");

        var status = younger.await(accepted("Conflicted"), LIMIT);
        assertThat(status.condition(ACCEPTED).orElseThrow().message())
                .isEqualTo("ClusterAdmissionPolicy is conflicted by [claim-a (ClusterAdmissionPolicy)]:"
                        + " same policy-key, merge-strategy and scope");
        younger.await(enforced("NotEnforced"), LIMIT);
        assertThat(younger.webhooks()).isEmpty();
        assertThat(older.get().getStatus()).matches(enforced("Enforced"));
        assertThat(older.webhook()).isPresent();

        younger.edit(on("fives", "sixes"));
        younger.awaitWithServers(enforced("Enforced"), LIMIT);
        older.await(enforced("Overridden"), LIMIT);

        younger.edit(on("fives"));
        younger.awaitWithServers(accepted("Conflicted"), LIMIT);
        older.await(enforced("Enforced"), LIMIT);

        older.delete();
        younger.await(enforced("Enforced"), LIMIT);
        assertThat(younger.get().getStatus()).matches(accepted("Accepted"));
        assertThat(younger.webhook()).isPresent();
    }

    @Test
    void aDefaultExcludesANamespaceWhileItsOwnPolicyIsEnforced() {
        var server = installation.server(1);
        var common = SimulatedPolicy.create(installation, "common", server, on("threes"));
        setMergeStrategy(common, "labels", "defaults");
        var own = SimulatedPolicy.namespaced(installation, dev, "own", server, on("threes"));
        own.annotate(PolicyNames.POLICY_KEY, "labels");

        own.awaitWithServers(enforced("Enforced"), LIMIT);
        var status = common.awaitWithServers(enforced("PartiallyEnforced"), LIMIT);
        assertThat(status.condition(ENFORCED).orElseThrow().message())
                .contains("overridden in part by [" + dev + "/own (AdmissionPolicy)]");
        assertThat(excluded(common)).containsExactly(dev);
        assertThat(own.get().getStatus()).matches(enforced("Enforced"));
        int writes = installation.writes().matching("common").size();
        await().during(Duration.ofSeconds(2))
                .atMost(LIMIT)
                .until(() -> installation.writes().matching("common").size() == writes);

        // A new generation has no evidence until the server runs. The default applies meanwhile.
        own.edit(spec -> spec.putObject("settings").put("strict", true));
        common.await(enforced("Enforced"), LIMIT);
        assertThat(excluded(common)).isEmpty();
        own.awaitWithServers(enforced("Enforced"), LIMIT);
        common.await(enforced("PartiallyEnforced"), LIMIT);
        assertThat(excluded(common)).containsExactly(dev);

        int before = installation.writes().matching("").size();
        own.delete();
        await().atMost(LIMIT).until(own::isGone);
        common.await(enforced("Enforced"), LIMIT);
        assertThat(excluded(common)).isEmpty();
        var webhookWrites = installation.writes().matching("").stream()
                .skip(before)
                .map(Writes.Write::request)
                .filter(what -> what.contains("webhookconfigurations"))
                .toList();
        assertThat(webhookWrites)
                .as("the default applies again before the policy of the namespace stops")
                .hasSize(2)
                .satisfies(
                        writesInOrder -> assertThat(writesInOrder.getFirst()).contains(common.id()),
                        writesInOrder -> assertThat(writesInOrder.getLast()).contains(own.id()));
    }

    @Test
    void observesNamespaceLabelsAndIgnoresMergeStrategiesOfNamespacedPolicies() {
        var server = installation.server(1);
        var overriding = SimulatedPolicy.create(
                installation,
                "selective",
                server,
                on("fours")
                        .andThen(spec -> spec.putObject("namespaceSelector")
                                .putObject("matchLabels")
                                .put("precedence", "strict")));
        setMergeStrategy(overriding, "selective", "overrides");
        var mine = SimulatedPolicy.namespaced(installation, labelled, "mine", server, on("fours"));
        setMergeStrategy(mine, "selective", "overrides");
        overriding.awaitWithServers(enforced("Enforced"), LIMIT);
        mine.awaitWithServers(enforced("Enforced"), LIMIT);

        installation
                .client()
                .resource(namespace(labelled, Map.of("precedence", "strict")))
                .patch();

        mine.await(enforced("Overridden"), LIMIT);
        assertThat(mine.webhooks()).isEmpty();
        assertThat(overriding.get().getStatus()).matches(enforced("Enforced"));

        overriding.annotate(PolicyNames.MERGE_STRATEGY, "sometimes");

        mine.await(enforced("Enforced"), LIMIT);
        var updated = overriding.await(
                status -> status.condition(ENFORCED).orElseThrow().message().contains("sometimes"), LIMIT);
        assertThat(updated.condition(ENFORCED).orElseThrow().message())
                .isEqualTo(
                        "ClusterAdmissionPolicy has been successfully enforced; annotation"
                                + " kubewarden.io/merge-strategy has no effect: \"sometimes\" is neither defaults nor overrides");
    }
}
