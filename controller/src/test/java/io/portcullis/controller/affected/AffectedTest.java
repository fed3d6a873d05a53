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
                        .as("looked at alone")
                        .isEqualTo(byName.get(policy.ref().name()));
            }
        }
        return byName;
    }

    @Test
    void onlyMutatingPoliciesThatSeeTheSameRequestsAffectOthers() {
        var changer = cluster("changer", "pods", "CREATE", true);

        assertThat(affected(
                        changer,
                        cluster("same", "pods", "CREATE", false),
                        cluster("deletes", "pods", "DELETE", false),
                        cluster("services", "services", "CREATE", false),
                        cluster("everything", "*", "*", false),
                        tenant("dev", "tenant", "pods")))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "changer", List.of(),
                        "same", List.of("changer (ClusterAdmissionPolicy)"),
                        "deletes", List.of(),
                        "services", List.of(),
                        "everything", List.of("changer (ClusterAdmissionPolicy)"),
                        "tenant", List.of("changer (ClusterAdmissionPolicy)")));
    }

    @Test
    void onlyChangesOfWhatAPolicySeesAreNews() {
        assertThat(isNews(
                        spec -> spec.put("message", "no").putObject("settings").put("new", true)))
                .isFalse();
        assertThat(isNews(spec -> spec.put("module", "another"))).isFalse();
        assertThat(isNews(spec -> spec.put("mutating", false))).isTrue();
        assertThat(isNews(spec -> spec.put("mode", "monitor"))).isTrue();
        assertThat(isNews(spec -> spec.withArray("rules").removeAll())).isTrue();
        assertThat(isNews(spec -> spec.putObject("objectSelector"))).isTrue();
        assertThat(isNews(spec -> spec.putObject("namespaceSelector"))).isTrue();
        assertThat(isNews(spec -> spec.put("allowInsideAdmissionControllerNamespace", true)))
                .isTrue();
        var before = cluster("p", "pods", "CREATE", true);
        var doomed = cluster("p", "pods", "CREATE", true);
        doomed.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        assertThat(AffectedPass.seesOtherwise(before, doomed)).isTrue();
        var unaccepted = cluster("p", "pods", "CREATE", true);
        unaccepted.setStatus(null);
        assertThat(AffectedPass.seesOtherwise(before, unaccepted)).isTrue();
    }

    private static boolean isNews(Consumer<ObjectNode> change) {
        var after = cluster("p", "pods", "CREATE", true);
        change.accept(after.getSpec());
        return AffectedPass.seesOtherwise(cluster("p", "pods", "CREATE", true), after);
    }

    @Test
    void namespacesThatDoNotMeetKeepThemApart() {
        var changer = cluster("changer", "pods", "CREATE", true);
        changer.getSpec()
                .putObject("namespaceSelector")
                .putObject("matchLabels")
                .put("kubernetes.io/metadata.name", "prod");
        var rules = changer.getSpec().withArray("rules");
        ((ObjectNode) rules.get(0)).put("scope", "Namespaced");

        assertThat(affected(changer, tenant("dev", "dev", "pods"), tenant("prod", "prod", "pods")))
                .containsEntry("dev", List.of())
                .containsEntry("prod", List.of("changer (ClusterAdmissionPolicy)"));
    }

    @Test
    void aMonitoringOrUnacceptedMutatorChangesNothing() {
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

    /** The bar is 2,000 policies at 10 a second; here each second lasts a hundredth of it. */
    @Test
    void aMutatorAmongTwoThousandPoliciesIsNewsOncePerPolicyAndNeverAtOnceWithAHundredthOfEachSecond() {
        int policies = 2000;
        var told = Collections.synchronizedList(new ArrayList<Long>());
        var pace = new RateLimitedWriter.Pace(Duration.ofMillis(1), Duration.ofMillis(50));
        try (var publication = new RateLimitedWriter(pace, _ -> told.add(System.nanoTime()), _ -> false)) {
            publication.assume(results(policies, List.of()));
            publication.offer(results(policies, List.of("mutator")));
            await().until(() -> told.size() == policies);
            publication.offer(results(policies, List.of()));
            await().until(() -> told.size() == 2 * policies);
        }

        assertThat(told).hasSizeLessThanOrEqualTo(4000);
        for (int i = 10; i < told.size(); i++) {
            assertThat(Duration.ofNanos(told.get(i) - told.get(i - 10)))
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
    void newsComeOneByOneAndNotTooOftenForTheSamePolicy() {
        var told = Collections.synchronizedList(new ArrayList<Long>());
        var pace = new RateLimitedWriter.Pace(Duration.ofMillis(20), Duration.ofMillis(400));
        try (var publication = new RateLimitedWriter(pace, _ -> told.add(System.nanoTime()), _ -> false)) {
            var results = new HashMap<PolicyRef, List<String>>();
            IntStream.range(0, 20).forEach(i -> results.put(ref(i), List.of("mutator")));
            long begun = System.nanoTime();
            publication.offer(results);
            publication.offer(results); // the same again is no news

            await().until(() -> told.size() == 20);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(380));
            assertThat(publication.affectedBy(ref(3))).contains(List.of("mutator"));

            results.put(ref(19), List.of());
            publication.offer(results);
            await().until(() -> told.size() == 21);
            assertThat(Duration.ofNanos(told.get(20) - told.get(0))).isGreaterThan(Duration.ofMillis(400));
            publication.offer(Map.of());
            await().until(() -> publication.affectedBy(ref(3)).isEmpty());
        }
    }

    @Test
    void nothingIsToldWhileTheLastWasNotRead() {
        var told = Collections.synchronizedList(new ArrayList<PolicyRef>());
        var isRead = new AtomicBoolean();
        var asked = new AtomicInteger();
        var pace = new RateLimitedWriter.Pace(Duration.ofMillis(1), Duration.ofMillis(1));
        try (var publication = new RateLimitedWriter(pace, told::add, _ -> {
            asked.incrementAndGet();
            return !isRead.get();
        })) {
            publication.offer(results(3, List.of("mutator")));
            await().until(() -> asked.get() >= 5);
            assertThat(told).hasSize(1);

            isRead.set(true);
            await().until(() -> told.size() == 3);
        }
    }
}
