package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ENFORCED;
import static io.portcullis.api.condition.ConditionType.POLICY_AFFECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.controller.queue.WorkQueue.Pace;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The PolicyAffected condition. It is computed after half a second here, instead of half a minute. */
@Tag("level1")
@RealCluster
class PolicyAffectedIT {

    private static final int MANY = 60;

    private static SimulatedInstallation installation;

    @BeforeAll
    static void install(TestCluster cluster) {
        installation = new SimulatedInstallation(cluster);
        var second = Duration.ofSeconds(1);
        installation.restartWithSurroundings(surroundings -> new PolicyControl.Surroundings(
                new Pace(second.dividedBy(2), 1, second, second),
                surroundings.affectedWrites(),
                surroundings.supportsMatchConditions()));
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName("affected-elsewhere")
                .endMetadata()
                .build());
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    private static Consumer<ObjectNode> on(String resource, String... operations) {
        return spec -> {
            var rule = spec.putArray("rules").addObject();
            rule.putArray("apiGroups").add("nothing.example.com");
            rule.putArray("apiVersions").add("v1");
            rule.putArray("resources").add(resource);
            List.of(operations).forEach(rule.putArray("operations")::add);
            rule.put("scope", "Namespaced");
        };
    }

    private static Consumer<ObjectNode> labelled(String label) {
        return spec -> spec.putObject("objectSelector").putObject("matchLabels").put("side", label);
    }

    private static boolean isAffected(PolicyStatus status) {
        return status.condition(POLICY_AFFECTED).filter(Condition::isTrue).isPresent();
    }

    private static boolean isEnforced(PolicyStatus status) {
        return status.condition(ENFORCED).filter(Condition::isTrue).isPresent();
    }

    private static boolean isUnaffected(PolicyStatus status) {
        return status.condition(POLICY_AFFECTED)
                .filter(condition -> !condition.isTrue())
                .isPresent();
    }

    @Test
    void onlyAMutatingPolicyWithTheSameRequestsAffectsOthersUntilItsDeletion() {
        var server = installation.server(1);
        var same = SimulatedPolicy.create(installation, "affected-same", server, on("ones", "CREATE"));
        var other = SimulatedPolicy.create(installation, "affected-other", server, on("ones", "CREATE"));
        var deletes = SimulatedPolicy.create(installation, "affected-deletes", server, on("ones", "DELETE"));
        var otherLabel = SimulatedPolicy.create(
                installation, "affected-left", server, on("ones", "CREATE").andThen(labelled("left")));
        var otherNamespace = SimulatedPolicy.namespaced(
                installation, "affected-elsewhere", "elsewhere", server, on("ones", "CREATE"));
        var all = List.of(same, other, deletes, otherLabel, otherNamespace);
        all.forEach(policy -> policy.awaitWithServers(PolicyAffectedIT::isUnaffected));

        var mutating = SimulatedPolicy.create(
                installation,
                "mutator",
                server,
                on("ones", "CREATE", "UPDATE")
                        .andThen(labelled("right"))
                        .andThen(spec -> spec.put("mutating", true)
                                .putObject("namespaceSelector")
                                .putObject("matchLabels")
                                .put("kubernetes.io/metadata.name", "default")));
        mutating.awaitActive(1);

        var status = same.await(PolicyAffectedIT::isAffected);
        assertThat(status.condition(POLICY_AFFECTED).orElseThrow().message())
                .isEqualTo("ClusterAdmissionPolicy is affected by [mutator (ClusterAdmissionPolicy)]");
        other.await(PolicyAffectedIT::isAffected);
        for (SimulatedPolicy unaffected : List.of(deletes, otherLabel, otherNamespace, mutating)) {
            unaffected.await(PolicyAffectedIT::isUnaffected);
        }

        mutating.delete();
        all.forEach(policy -> policy.await(PolicyAffectedIT::isUnaffected));
    }

    /** The requirement is 2,000 policies: see {@link AffectedBench}. */
    @Test
    void aMutatorAmongSixtyPoliciesCausesNoWriteStormAndDelaysNoOtherPolicy() {
        var server = installation.server(1);
        var many = new ArrayList<SimulatedPolicy>();
        for (int i = 0; i < MANY; i++) {
            many.add(SimulatedPolicy.create(installation, "storm-" + i, server, on("many", "CREATE")));
        }
        many.forEach(policy ->
                policy.awaitWithServers(status -> isUnaffected(status) && isEnforced(status), Duration.ofSeconds(60)));
        int before = installation.writes().matching("/storm-").size();

        var mutating = SimulatedPolicy.create(
                installation, "storm-maker", server, on("many", "CREATE").andThen(spec -> spec.put("mutating", true)));
        mutating.awaitActive(1);
        many.getFirst().await(PolicyAffectedIT::isAffected);
        var start = System.nanoTime();
        SimulatedPolicy.create(installation, "unrelated", server, on("others", "CREATE"))
                .awaitWithServers(PolicyAffectedIT::isEnforced);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        many.forEach(policy -> policy.await(PolicyAffectedIT::isAffected));
        mutating.delete();
        await().until(mutating::isGone);
        many.forEach(policy -> policy.await(PolicyAffectedIT::isUnaffected));

        var writes = installation.writes().matching("/storm-").stream()
                .skip(before)
                .filter(write -> !write.request().contains("storm-maker"))
                .toList();
        assertThat(writes).hasSizeLessThanOrEqualTo(2 * MANY);
        for (int i = 11; i < writes.size(); i++) {
            assertThat(Duration.ofNanos(
                            writes.get(i).atNanos() - writes.get(i - 11).atNanos()))
                    .as("eleven writes after this one")
                    .isGreaterThan(Duration.ofMillis(900));
        }
    }
}
