package io.portcullis.controller.affected;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AffectedTest {

    private static final List<Namespace> NAMESPACES =
            List.of(namespace("dev"), namespace("prod"), namespace("kubewarden"));

    private static Namespace namespace(String name) {
        return new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("kubernetes.io/metadata.name", name)
                .endMetadata()
                .build();
    }

    private static Policy policy(Policy policy, String name, String resource, String operation, boolean mutating) {
        policy.setMetadata(new ObjectMetaBuilder().withName(name).build());
        policy.getSpec().put("module", "m").put("mutating", mutating);
        var rule = policy.getSpec().putArray("rules").addObject();
        rule.putArray("apiGroups").add("");
        rule.putArray("apiVersions").add("v1");
        rule.putArray("resources").add(resource);
        rule.putArray("operations").add(operation);
        policy.setStatus(new PolicyStatus(
                PolicyState.ACTIVE,
                Phase.ACTIVE,
                "protect",
                1,
                1,
                null,
                List.of(Condition.ofPolicy(ConditionType.ACCEPTED, ConditionStatus.TRUE, "Accepted", "", 1)),
                List.of(),
                List.of()));
        return policy;
    }

    private static Policy cluster(String name, String resource, String operation, boolean mutating) {
        return policy(new ClusterAdmissionPolicy(), name, resource, operation, mutating);
    }

    private static Policy tenant(String namespace, String name, String resource) {
        var policy = policy(new AdmissionPolicy(), name, resource, "CREATE", false);
        policy.getMetadata().setNamespace(namespace);
        return policy;
    }

    private static Map<String, List<String>> affected(Policy... policies) {
        var byName = new HashMap<String, List<String>>();
        AffectedPass.of(List.of(policies), NAMESPACES, "kubewarden")
                .forEach((ref, others) -> byName.put(ref.name(), others));
        for (Policy policy : policies) {
            if (byName.containsKey(policy.ref().name())) {
                assertThat(AffectedPass.of(policy, List.of(policies), NAMESPACES, "kubewarden"))
                        .as("computed for this policy alone")
                        .isEqualTo(byName.get(policy.ref().name()));
            }
        }
        return byName;
    }

    @Test
    void onlyMutatingPoliciesWithTheSameRequestsAffectOthers() {
        var mutator = cluster("mutator", "pods", "CREATE", true);

        assertThat(affected(
                        mutator,
                        cluster("same", "pods", "CREATE", false),
                        cluster("deletes", "pods", "DELETE", false),
                        cluster("services", "services", "CREATE", false),
                        cluster("everything", "*", "*", false),
                        tenant("dev", "tenant", "pods")))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "mutator", List.of(),
                        "same", List.of("mutator (ClusterAdmissionPolicy)"),
                        "deletes", List.of(),
                        "services", List.of(),
                        "everything", List.of("mutator (ClusterAdmissionPolicy)"),
                        "tenant", List.of("mutator (ClusterAdmissionPolicy)")));
    }

    @Test
    void onlyChangesOfTheMatchedRequestsAreRelevant() {
        assertThat(isRelevant(
                        spec -> spec.put("message", "no").putObject("settings").put("new", true)))
                .isFalse();
        assertThat(isRelevant(spec -> spec.put("module", "another"))).isFalse();
        assertThat(isRelevant(spec -> spec.put("mutating", false))).isTrue();
        assertThat(isRelevant(spec -> spec.put("mode", "monitor"))).isTrue();
        assertThat(isRelevant(spec -> spec.withArray("rules").removeAll())).isTrue();
        assertThat(isRelevant(spec -> spec.putObject("objectSelector"))).isTrue();
        assertThat(isRelevant(spec -> spec.putObject("namespaceSelector"))).isTrue();
        assertThat(isRelevant(spec -> spec.put("allowInsideAdmissionControllerNamespace", true)))
                .isTrue();
        var before = cluster("p", "pods", "CREATE", true);
        var deleted = cluster("p", "pods", "CREATE", true);
        deleted.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        assertThat(AffectedPass.isReachChanged(before, deleted)).isTrue();
        var unaccepted = cluster("p", "pods", "CREATE", true);
        unaccepted.setStatus(null);
        assertThat(AffectedPass.isReachChanged(before, unaccepted)).isTrue();
    }

    private static boolean isRelevant(Consumer<ObjectNode> change) {
        var after = cluster("p", "pods", "CREATE", true);
        change.accept(after.getSpec());
        return AffectedPass.isReachChanged(cluster("p", "pods", "CREATE", true), after);
    }

    @Test
    void policiesInDifferentNamespacesDoNotAffectEachOther() {
        var mutator = cluster("mutator", "pods", "CREATE", true);
        mutator.getSpec()
                .putObject("namespaceSelector")
                .putObject("matchLabels")
                .put("kubernetes.io/metadata.name", "prod");
        var rules = mutator.getSpec().withArray("rules");
        ((ObjectNode) rules.get(0)).put("scope", "Namespaced");

        assertThat(affected(mutator, tenant("dev", "dev", "pods"), tenant("prod", "prod", "pods")))
                .containsEntry("dev", List.of())
                .containsEntry("prod", List.of("mutator (ClusterAdmissionPolicy)"));
    }

    @Test
    void mutatorsInMonitorModeOrNotAcceptedAffectNothing() {
        var monitoring = cluster("monitoring", "pods", "CREATE", true);
        monitoring.getSpec().put("mode", "monitor");
        var refused = cluster("refused", "pods", "CREATE", true);
        refused.setStatus(null);

        assertThat(affected(monitoring, refused, cluster("same", "pods", "CREATE", false)))
                .containsEntry("same", List.of())
                .doesNotContainKey("refused");
    }

    private static PolicyRef ref(int number) {
        return new PolicyRef(PolicyKind.CLUSTER_ADMISSION_POLICY, "", "policy-" + number);
    }

    /** The target is 2,000 policies at 10 writes per second. In this test, one second is shortened to a hundredth. */
    @Test
    void writesEachOfTwoThousandPoliciesOnceAtALimitedRate() {
        int policies = 2000;
        var written = Collections.synchronizedList(new ArrayList<Long>());
        var pace = new RateLimitedWriter.Pace(Duration.ofMillis(1), Duration.ofMillis(50));
        try (var writer = new RateLimitedWriter(pace, _ -> written.add(System.nanoTime()), _ -> false)) {
            writer.assume(results(policies, List.of()));
            writer.offer(results(policies, List.of("mutator")));
            await().until(() -> written.size() == policies);
            writer.offer(results(policies, List.of()));
            await().until(() -> written.size() == 2 * policies);
        }

        assertThat(written).hasSizeLessThanOrEqualTo(4000);
        for (int i = 10; i < written.size(); i++) {
            assertThat(Duration.ofNanos(written.get(i) - written.get(i - 10)))
                    .as("ten after %d", i)
                    .isGreaterThan(Duration.ofMillis(8));
        }
    }

    private static Map<PolicyRef, List<String>> results(int policies, List<String> others) {
        var results = new HashMap<PolicyRef, List<String>>();
        IntStream.range(0, policies).forEach(i -> results.put(ref(i), others));
        return results;
    }

    @Test
    void writesOneByOneAndNotTooOftenForTheSamePolicy() {
        var written = Collections.synchronizedList(new ArrayList<Long>());
        var pace = new RateLimitedWriter.Pace(Duration.ofMillis(20), Duration.ofMillis(400));
        try (var writer = new RateLimitedWriter(pace, _ -> written.add(System.nanoTime()), _ -> false)) {
            var results = new HashMap<PolicyRef, List<String>>();
            IntStream.range(0, 20).forEach(i -> results.put(ref(i), List.of("mutator")));
            long start = System.nanoTime();
            writer.offer(results);
            writer.offer(results); // the same results again cause no write

            await().until(() -> written.size() == 20);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(380));
            assertThat(writer.affectedBy(ref(3))).contains(List.of("mutator"));

            results.put(ref(19), List.of());
            writer.offer(results);
            await().until(() -> written.size() == 21);
            assertThat(Duration.ofNanos(written.get(20) - written.get(0))).isGreaterThan(Duration.ofMillis(400));
            writer.offer(Map.of());
            await().until(() -> writer.affectedBy(ref(3)).isEmpty());
        }
    }

    @Test
    void writesNothingUntilTheLastWriteIsObserved() {
        var written = Collections.synchronizedList(new ArrayList<PolicyRef>());
        var isObserved = new AtomicBoolean();
        var checks = new AtomicInteger();
        var pace = new RateLimitedWriter.Pace(Duration.ofMillis(1), Duration.ofMillis(1));
        try (var writer = new RateLimitedWriter(pace, written::add, _ -> {
            checks.incrementAndGet();
            return !isObserved.get();
        })) {
            writer.offer(results(3, List.of("mutator")));
            await().until(() -> checks.get() >= 5);
            assertThat(written).hasSize(1);

            isObserved.set(true);
            await().until(() -> written.size() == 3);
        }
    }
}
