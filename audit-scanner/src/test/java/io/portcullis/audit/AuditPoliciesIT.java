package io.portcullis.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.audit.AuditFixture.ScanResult;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests policies of all four kinds, OpenReports, and servers with replicas, on a real API server. */
@Tag("level1")
@RealCluster
class AuditPoliciesIT {

    private static final String MAPS =
            "{\"apiGroups\": [\"\"], \"apiVersions\": [\"v1\"], \"resources\": [\"configmaps\"], \"operations\":"
                    + " [\"*\"]}";
    private static final String OPEN_REPORTS = "openreports.io/v1alpha1";
    private static final ScriptedPolicyServer.Reply DENIED = new ScriptedPolicyServer.Reply(
            200, "{\"response\": {\"allowed\": false, \"status\": {\"message\": \"not like this\"}}}");

    private final TestCluster cluster;
    private final AuditFixture fixture;

    @TempDir
    Path dir;

    AuditPoliciesIT(TestCluster cluster) {
        this.cluster = cluster;
        this.fixture = new AuditFixture(cluster);
    }

    @BeforeAll
    static void install(TestCluster cluster) {
        cluster.installCrds();
        AuditFixture.install(cluster, "reports/openreports.io.yaml");
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    private ScanResult scanEverything() throws InterruptedException {
        return AuditFixture.run(
                cluster.local().kubeconfig(), List.of("--report-kind", "openreports", "--retry-interval", "5ms"));
    }

    private JsonNode report(AuditFixture of, String object) {
        return of.reports(OPEN_REPORTS, "reports").getOrDefault(object, AuditFixture.tree("{}"));
    }

    private static List<String> policiesIn(JsonNode report) {
        return report.path("results").findValuesAsText("policy");
    }

    @Test
    void appliesNamespacedPoliciesAndGroupsOnlyToTheirNamespace() throws Exception {
        fixture.createConfigMaps(1);
        try (var other = new AuditFixture(cluster);
                var server = ScriptedPolicyServer.start(
                        path -> path.contains("/apg/") ? DENIED : ScriptedPolicyServer.ALLOWED)) {
            other.createConfigMaps(1);
            for (var kind : PolicyKind.values()) {
                fixture.createPolicy(
                        kind,
                        kind.shortName(),
                        MAPS,
                        server.url() + "/validate/" + kind.shortName() + "/1",
                        server.caBundle(),
                        "");
            }
            relabel(other);

            var ended = scanEverything();

            assertThat(ended.code()).as("%s", ended).isZero();
            var report = report(fixture, "map-0");
            assertThat(policiesIn(report)).containsExactlyInAnyOrderElementsOf(ids(List.of(PolicyKind.values())));
            assertThat(report.at("/summary/fail").asInt()).isEqualTo(1);
            assertThat(report.at("/summary/pass").asInt()).isEqualTo(3);
            var result = resultOf(report, PolicyKind.ADMISSION_POLICY_GROUP);
            assertThat(result.path("result").asText()).isEqualTo("fail");
            assertThat(result.path("message").asText()).isEqualTo("not like this");
            assertThat(result.at("/properties/policy-namespace").asText()).isEqualTo(fixture.namespace);
            assertThat(resultOf(report, PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP)
                            .at("/properties")
                            .has("policy-namespace"))
                    .isFalse();

            assertThat(policiesIn(report(other, "map-0")))
                    .as("of another namespace that tenants' webhooks select too")
                    .containsExactlyInAnyOrderElementsOf(ids(
                            List.of(PolicyKind.CLUSTER_ADMISSION_POLICY, PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP)));
        }
    }

    /** Gives another test's namespace the label that this test's webhooks select. */
    private void relabel(AuditFixture other) {
        cluster.client().namespaces().withName(other.namespace).edit(namespace -> {
            namespace.getMetadata().getLabels().put("audit", fixture.namespace);
            return namespace;
        });
    }

    private List<String> ids(List<PolicyKind> kinds) {
        return kinds.stream().map(kind -> fixture.idOf(kind, kind.shortName())).toList();
    }

    private JsonNode resultOf(JsonNode report, PolicyKind kind) {
        for (var result : report.path("results")) {
            if (result.path("policy").asText().equals(fixture.idOf(kind, kind.shortName()))) {
                return result;
            }
        }
        throw new AssertionError("no result of " + kind + " in " + report);
    }

    @Test
    void writesClusterReportsAndRemovesThemWithTheirPolicy() throws Exception {
        try (var server = ScriptedPolicyServer.start(_ -> DENIED)) {
            fixture.createPolicy(
                    "spaces",
                    MAPS.replace("configmaps", "namespaces"),
                    server.url() + "/validate/p/2",
                    server.caBundle(),
                    "");

            var ended = scanEverything();

            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(clusterReports()).hasSize(1);
            var report = clusterReports().getFirst();
            assertThat(report.path("kind").asText()).isEqualTo("ClusterReport");
            assertThat(report.at("/metadata/namespace").isMissingNode()).isTrue();
            assertThat(report.at("/scope/kind").asText()).isEqualTo("Namespace");
            assertThat(report.at("/scope/name").asText()).isEqualTo(fixture.namespace);
            assertThat(report.at("/metadata/name").asText())
                    .isEqualTo(report.at("/scope/uid").asText());
            assertThat(report.at("/metadata/ownerReferences/0/uid").asText())
                    .isEqualTo(report.at("/scope/uid").asText());
            assertThat(report.at("/metadata/labels/app.kubernetes.io~1managed-by")
                            .asText())
                    .isEqualTo("kubewarden");
            assertThat(report.at("/summary/fail").asInt()).isEqualTo(1);
            assertThat(report.at("/results/0/properties/policy-generation").asText())
                    .isEqualTo("2");

            cluster.client()
                    .admissionRegistration()
                    .v1()
                    .validatingWebhookConfigurations()
                    .withName(fixture.idOf("spaces"))
                    .delete();
            assertThat(scanEverything().summary().path("reports_removed").asInt())
                    .isPositive();
            assertThat(clusterReports()).as("no policy applies to it any more").isEmpty();
        }
    }

    /** Returns the cluster reports on this test's namespace. */
    private List<JsonNode> clusterReports() {
        var reports = new ArrayList<JsonNode>();
        for (var report : AuditFixture.tree(cluster.client().raw("/apis/" + OPEN_REPORTS + "/clusterreports"))
                .path("items")) {
            if (report.at("/scope/name").asText().equals(fixture.namespace)) {
                reports.add(report);
            }
        }
        return reports;
    }

    @Test
    void writesMetricsForATextfileCollector() throws Exception {
        fixture.createConfigMaps(2);
        try (var server = ScriptedPolicyServer.start(_ -> DENIED)) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");
            var file = dir.resolve("audit.prom");

            var ended = fixture.scan("--report-kind", "openreports", "--metrics-file", file.toString());

            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(Files.readString(file).lines())
                    .contains(
                            "kubewarden_audit_objects_total 2",
                            "kubewarden_audit_results_total{result=\"fail\"} 2",
                            "kubewarden_audit_results_total{result=\"pass\"} 0",
                            "kubewarden_audit_reports_total{outcome=\"created\"} 2",
                            "kubewarden_audit_failures_total{what=\"list\"} 0",
                            "kubewarden_audit_retries 0");

            var unwritable = fixture.scan(
                    "--disable-store",
                    "--metrics-file",
                    dir.resolve("missing/audit.prom").toString());
            assertThat(unwritable.code()).isEqualTo(1);
            assertThat(unwritable.err()).startsWith("error: cannot write ");
        }
    }

    @Test
    void spreadsRequestsOverTheReplicasOfAServer() throws Exception {
        fixture.createConfigMaps(40);
        try (var one = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED);
                var two = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED);
                var three = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED);
                var service = ServiceProxy.start(List.of(one.port(), two.port(), three.port()))) {
            var url = "https://127.0.0.1:" + service.port() + "/validate/";
            var trusted = one.caBundle() + two.caBundle() + three.caBundle();
            for (var name : List.of("a", "b", "c")) {
                fixture.createPolicy(name, MAPS, url + name, trusted, "");
            }

            var ended = fixture.scan("--disable-store");

            assertThat(ended.summary().path("pass").asInt()).as("%s", ended).isEqualTo(40 * 3);
            var shares = Map.of("one", one.calls(), "two", two.calls(), "three", three.calls());
            assertThat(shares.values())
                    .as("%s", shares)
                    .allSatisfy(share -> assertThat(share).isGreaterThanOrEqualTo(120 / 10));
        }
    }
}
