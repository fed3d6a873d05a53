package io.portcullis.audit.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.portcullis.audit.report.ReportKind;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests webhook rules against the types that an API server serves. */
class TargetsTest {

    private static final ResourceTypeIndex TYPE_INDEX = new ResourceTypeIndex(
            List.of(
                    new AuditedType("", "v1", "pods", "Pod", true),
                    new AuditedType("", "v1", "namespaces", "Namespace", false),
                    new AuditedType("", "v1", "events", "Event", true),
                    new AuditedType("apps", "v1", "deployments", "Deployment", true),
                    new AuditedType("autoscaling", "v2", "horizontalpodautoscalers", "HPA", true),
                    new AuditedType("autoscaling", "v1", "horizontalpodautoscalers", "HPA", true),
                    new AuditedType("openreports.io", "v1alpha1", "reports", "Report", true),
                    new AuditedType(
                            "admissionregistration.k8s.io",
                            "v1",
                            "validatingwebhookconfigurations",
                            "ValidatingWebhookConfiguration",
                            false)),
            Set.of("down.example.com"));

    private static RuleWithOperations rule(String groups, String versions, String resources, String operations) {
        return new RuleWithOperationsBuilder()
                .withApiGroups(groups.split(" ", -1))
                .withApiVersions(versions.split(" ", -1))
                .withResources(resources.split(" ", -1))
                .withOperations(operations.split(" ", -1))
                .build();
    }

    private static List<String> types(RuleWithOperations... rules) {
        return Targets.of(List.of(rules), TYPE_INDEX).types().stream()
                .map(AuditedType::toString)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''   | v1    | pods                  | CREATE        | v1 pods",
                "''   | v1    | pods                  | *             | v1 pods",
                "''   | v1    | pods                  | UPDATE DELETE | ''",
                "''   | v1    | pods pods/exec        | CREATE        | v1 pods",
                "''   | v1    | pods/exec             | CREATE        | ''",
                "''   | v1    | pods/*                | CREATE        | v1 pods",
                "''   | *     | *                     | CREATE        | v1 pods, v1 namespaces",
                "''   | *     | */*                   | CREATE        | v1 pods, v1 namespaces",
                "''   | v1    | events                | CREATE        | v1 events",
                "*    | *     | deployments           | CREATE        | apps/v1 deployments",
                "*    | v1    | horizontalpodautoscalers | CREATE     | autoscaling/v1 horizontalpodautoscalers",
                "*    | v1 v2 | horizontalpodautoscalers | CREATE     | autoscaling/v2 horizontalpodautoscalers",
                "apps | v1    | deployments deploymets | CREATE       | apps/v1 deployments",
                "apps | v9 v1 | deployments           | CREATE        | apps/v1 deployments",
                "apps | v9    | deployments           | CREATE        | ''",
                "openreports.io | * | reports         | CREATE        | ''",
                "admissionregistration.k8s.io | * | * | CREATE        | ''",
            })
    void resolvesRulesToTypes(String group, String versions, String resources, String operations, String expected) {
        assertThat(String.join(", ", types(rule(group, versions, resources, operations))))
                .isEqualTo(expected);
    }

    @Test
    void wildcardsExcludeReportsAndExemptTypes() {
        assertThat(types(rule("*", "*", "*", "*")))
                .containsExactlyInAnyOrder(
                        "v1 pods", "v1 namespaces", "apps/v1 deployments", "autoscaling/v2 horizontalpodautoscalers");
    }

    @ParameterizedTest
    @EnumSource(ReportKind.class)
    void neverAuditsReports(ReportKind kind) {
        var reports = new AuditedType(kind.group(), "v1", "reports", "Report", true);

        assertThat(Targets.of(
                                List.of(rule(kind.group(), "*", "reports", "CREATE")),
                                new ResourceTypeIndex(List.of(reports), Set.of()))
                        .notAuditable())
                .containsExactly("reports." + kind.group() + ": never audited");
    }

    @Test
    void mergesRulesForTheSameResource() {
        assertThat(types(
                        rule("autoscaling", "v1", "horizontalpodautoscalers", "CREATE"),
                        rule("autoscaling", "v2", "horizontalpodautoscalers", "CREATE")))
                .containsExactly("autoscaling/v2 horizontalpodautoscalers");
    }

    @Test
    void appliesTheScopeOfARule() {
        var rule = rule("", "v1", "*", "CREATE");
        rule.setScope("Cluster");
        assertThat(types(rule)).containsExactly("v1 namespaces");
        rule.setScope("Namespaced");
        assertThat(types(rule)).containsExactly("v1 pods");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apps | v1 | deploymets | deploymets.apps: the API server serves no such resource that can be created and listed",
                "apps | v9 | deployments | deployments.apps: not served in v9",
                "down.example.com | v1 | things | things.down.example.com: its API group cannot be reached",
            })
    void reportsResourcesThatAreNotServed(String group, String version, String resource, String expected) {
        assertThat(Targets.of(List.of(rule(group, version, resource, "CREATE")), TYPE_INDEX)
                        .unknown())
                .containsExactly(expected);
    }

    @Test
    void reportsSubresourcesAsNotAuditable() {
        var targets = Targets.of(List.of(rule("", "v1", "pods/exec", "CREATE")), TYPE_INDEX);

        assertThat(targets.unknown()).isEmpty();
        assertThat(targets.notAuditable()).containsExactly("pods/exec: subresources cannot be listed");
    }
}
