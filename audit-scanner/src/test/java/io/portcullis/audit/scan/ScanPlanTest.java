package io.portcullis.audit.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.audit.policy.Endpoint;
import io.portcullis.audit.policy.PolicyInventory;
import io.portcullis.audit.policy.Webhook;
import io.portcullis.audit.scan.ScanPlan.Work;
import io.portcullis.audit.targets.AuditScope;
import io.portcullis.audit.targets.AuditedType;
import io.portcullis.audit.targets.ResourceTypeIndex;
import io.portcullis.core.overlap.LabelRequirements;
import io.portcullis.matching.FailurePolicy;
import io.portcullis.matching.RequestMatcher;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests which lists are read, and which policies evaluate their objects. */
class ScanPlanTest {

    private static final AuditedType PODS = new AuditedType("", "v1", "pods", "Pod", true);
    private static final AuditedType NODES = new AuditedType("", "v1", "nodes", "Node", false);
    private static final AuditedType SCALERS_2 =
            new AuditedType("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true);
    private static final AuditedType SCALERS_1 =
            new AuditedType("autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true);
    private static final ResourceTypeIndex TYPE_INDEX =
            new ResourceTypeIndex(List.of(PODS, NODES, SCALERS_2, SCALERS_1), Set.of());

    private static AuditedPolicy policy(
            PolicyKind kind, String namespace, String name, Map<String, String> labels, RuleWithOperations... rules) {
        var webhook = new Webhook(
                Webhook.Flavour.VALIDATING,
                name,
                new Webhook.Claim(name, namespace, ""),
                new Endpoint(URI.create("https://h/audit/" + name), "", 0),
                new RequestMatcher(
                        Arrays.asList(rules),
                        LabelRequirements.of(new LabelSelectorBuilder()
                                .withMatchLabels(labels)
                                .build()),
                        new LabelRequirements(Map.of()),
                        List.of(),
                        FailurePolicy.FAIL));
        return new AuditedPolicy(
                name,
                new PolicyRef(kind, namespace, name),
                new AuditedPolicy.ReportAttributes("", "", "", "", false, false),
                webhook);
    }

    private static AuditedPolicy clusterPolicy(String name, RuleWithOperations... rules) {
        return policy(PolicyKind.CLUSTER_ADMISSION_POLICY, "", name, Map.of(), rules);
    }

    private static RuleWithOperations rule(String group, String version, String resource) {
        return new RuleWithOperationsBuilder()
                .withApiGroups(group)
                .withApiVersions(version)
                .withResources(resource)
                .withOperations("CREATE")
                .build();
    }

    private static ScanPlan plan(AuditScope scope, AuditedPolicy... policies) {
        return ScanPlan.of(new PolicyInventory(Arrays.asList(policies), List.of(), List.of()), TYPE_INDEX, scope);
    }

    private static List<String> assigned(Work work) {
        return work.assignments().stream()
                .map(assignment ->
                        assignment.policy().id() + "@" + assignment.type().version())
                .toList();
    }

    @Test
    void listsATypeOnceInThePreferredVersion() {
        var plan = plan(
                new AuditScope.Everything(),
                clusterPolicy("old", rule("autoscaling", "v1", "horizontalpodautoscalers")),
                clusterPolicy("new", rule("autoscaling", "v2", "horizontalpodautoscalers")),
                clusterPolicy(
                        "both",
                        rule("autoscaling", "v1", "horizontalpodautoscalers"),
                        rule("autoscaling", "v2", "horizontalpodautoscalers")));

        assertThat(plan.work()).hasSize(1);
        assertThat(plan.work().getFirst().type()).isEqualTo(SCALERS_2);
        assertThat(assigned(plan.work().getFirst())).containsExactly("old@v1", "new@v2", "both@v2");
        assertThat(plan.policies()).isEqualTo(3);
    }

    @Test
    void doesNotListAVersionThatNoPolicyRequires() {
        var plan = plan(
                new AuditScope.Everything(),
                clusterPolicy("old", rule("autoscaling", "v1", "horizontalpodautoscalers")));

        assertThat(plan.work().getFirst().type()).isEqualTo(SCALERS_1);
    }

    @Test
    void listsClusterScopedObjectsFirstAndWithoutNamespacedPolicies() {
        var plan = plan(
                new AuditScope.Everything(),
                clusterPolicy("all", rule("", "v1", "*")),
                policy(PolicyKind.ADMISSION_POLICY, "shop", "tenant", Map.of(), rule("", "v1", "*")));

        assertThat(plan.work().stream().map(Work::type)).containsExactly(NODES, PODS);
        assertThat(assigned(plan.work().getFirst())).containsExactly("all@v1");
        assertThat(assigned(plan.work().getLast())).containsExactly("all@v1", "tenant@v1");
    }

    @Test
    void limitsTheScanToItsScope() {
        var all = clusterPolicy("all", rule("", "v1", "*"));

        assertThat(plan(new AuditScope.ClusterWide(), all).work())
                .extracting(Work::type)
                .containsExactly(NODES);
        assertThat(plan(new AuditScope.OneNamespace("shop"), all).work())
                .extracting(Work::type)
                .containsExactly(PODS);
    }

    @Test
    void reportsATypoAsAnErrorOfThatRuleOnly() {
        var plan = plan(
                new AuditScope.Everything(),
                clusterPolicy("half", rule("", "v1", "pdos"), rule("", "v1", "pods")),
                clusterPolicy("none", rule("", "v1", "pdos")),
                clusterPolicy("exec", rule("", "v1", "pods/exec")));

        assertThat(assigned(plan.work().getFirst())).containsExactly("half@v1");
        assertThat(plan.errored()).extracting(left -> left.policy().name()).containsExactly("none");
        assertThat(plan.skipped()).extracting(left -> left.policy().name()).containsExactly("exec");
        assertThat(plan.warnings()).extracting(left -> left.policy().name()).containsExactly("half", "none", "exec");
    }

    private static Namespaces namespaces(int count) {
        Map<String, Map<String, String>> labels = new TreeMap<>();
        IntStream.range(0, count).forEach(i -> labels.put("n" + i, Map.of("team", i == 0 ? "red" : "blue")));
        return new Namespaces(labels);
    }

    private static Work pods(AuditedPolicy... policies) {
        return new Work(
                PODS,
                Arrays.stream(policies)
                        .map(policy -> new ScanPlan.Assignment(policy, PODS))
                        .toList());
    }

    @Test
    void listsAllNamespacesAtOnceUnlessFewMatch() {
        var red = policy(PolicyKind.CLUSTER_ADMISSION_POLICY, "", "red", Map.of("team", "red"), rule("", "v1", "pods"));
        var tenant = policy(PolicyKind.ADMISSION_POLICY, "n3", "tenant", Map.of(), rule("", "v1", "pods"));
        var unmatched = policy(
                PolicyKind.CLUSTER_ADMISSION_POLICY, "", "unmatched", Map.of("team", "none"), rule("", "v1", "pods"));

        assertThat(namespaces(30).lists(pods(clusterPolicy("all", rule("", "v1", "pods")))))
                .containsExactly(Optional.empty());
        assertThat(namespaces(30).lists(pods(red, tenant))).containsExactly(Optional.of("n0"), Optional.of("n3"));
        assertThat(namespaces(5).lists(pods(red, tenant))).containsExactly(Optional.empty());
        assertThat(namespaces(30).lists(pods(unmatched))).isEmpty();
    }
}
