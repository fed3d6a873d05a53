package io.portcullis.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.FreePort;
import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the scanner on a real API server: with a real policy server and policies, and with faulty servers. */
@Tag("level1")
@RealCluster
class AuditScannerIT {

    private static final String MAPS =
            "{\"apiGroups\": [\"\"], \"apiVersions\": [\"v1\"], \"resources\": [\"configmaps\"], \"operations\":"
                    + " [\"*\"]}";
    private static final String PODS =
            "{\"apiGroups\": [\"\"], \"apiVersions\": [\"v1\"], \"resources\": [\"pods\"], \"operations\":"
                    + " [\"CREATE\"]}";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TestCluster cluster;
    private final AuditFixture fixture;

    @TempDir
    Path dir;

    AuditScannerIT(TestCluster cluster) {
        this.cluster = cluster;
        this.fixture = new AuditFixture(cluster);
    }

    @BeforeAll
    static void install(TestCluster cluster) {
        cluster.installCrds();
        AuditFixture.install(cluster, "reports/wgpolicyk8s.io.yaml");
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    private void createPods() {
        fixture.create(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("default")
                .withNamespace(fixture.namespace)
                .endMetadata()
                .build());
        for (var privileged : List.of(true, false)) {
            fixture.create(new PodBuilder()
                    .withNewMetadata()
                    .withName(privileged ? "mighty" : "meek")
                    .withNamespace(fixture.namespace)
                    .endMetadata()
                    .withNewSpec()
                    .addNewContainer()
                    .withName("main")
                    .withImage("nowhere/nothing:1")
                    .withNewSecurityContext()
                    .withPrivileged(privileged)
                    .endSecurityContext()
                    .endContainer()
                    .endSpec()
                    .build());
        }
    }

    /**
     * Starts the real policy server with the privileged-pods policy over TLS. Certificate and key are in {@code dir}.
     */
    private RunningProgram policyServer(int port, ServingCertificate certificate, String... more) throws IOException {
        var policies = Checkout.current().root().resolve("policies");
        Files.writeString(
                dir.resolve("policies.yml"),
                "privileged: {module: "
                        + policies.resolve("privileged-pods/policy.wasm").toUri() + "}\n");
        Files.writeString(dir.resolve("tls.crt"), certificate.certificatePem());
        Files.writeString(dir.resolve("tls.key"), certificate.privateKeyPem());
        var words = new ArrayList<>(List.of(
                Checkout.current().program("policy-server").toString(),
                "--standalone",
                "--addr=127.0.0.1",
                "--port=" + port,
                "--readiness-probe-port=" + FreePort.find(),
                "--policies=" + dir.resolve("policies.yml"),
                "--policies-download-dir=" + dir.resolve("store"),
                "--drain-lag=0s",
                "--cert-file=" + dir.resolve("tls.crt"),
                "--key-file=" + dir.resolve("tls.key")));
        words.addAll(List.of(more));
        return RunningProgram.start(dir.resolve("server.log"), words, Map.of())
                .awaitOutput("policy server ready", LIMIT);
    }

    @Test
    void writesBothKindsOfReportsForRealPolicies() throws Exception {
        createPods();
        var port = FreePort.find();
        var certificate = ServingCertificate.forNames("127.0.0.1");
        try (var _ = policyServer(port, certificate)) {
            fixture.createPolicy(
                    "p", PODS, "https://127.0.0.1:" + port + "/validate/privileged", certificate.certificatePem(), "");

            var first = fixture.scan();

            assertThat(first.code()).as("%s", first).isZero();
            var mighty = fixture.report("mighty");
            assertThat(fixture.result(mighty, "p").path("result").asText()).isEqualTo("fail");
            assertThat(fixture.result(mighty, "p").path("message").asText()).contains("rivileged");
            assertThat(mighty.at("/summary/fail").asInt()).isEqualTo(1);
            assertThat(mighty.at("/metadata/ownerReferences/0/name").asText()).isEqualTo("mighty");
            assertThat(fixture.result(fixture.report("meek"), "p")
                            .path("result")
                            .asText())
                    .isEqualTo("pass");
            assertThat(fixture.scan().summary().path("reports_unchanged").asInt())
                    .isEqualTo(2);

            AuditFixture.uninstall(cluster, "reports/openreports.io.yaml");
            var withoutDefinitions = fixture.scan("--report-kind", "openreports");
            assertThat(withoutDefinitions.code()).isEqualTo(1);
            assertThat(withoutDefinitions.lines().toString()).contains("their definitions are not installed");
            assertThat(withoutDefinitions.summary().path("fail").asInt()).isEqualTo(1);

            AuditFixture.install(cluster, "reports/openreports.io.yaml");
            assertThat(fixture.scan("--report-kind", "openreports").code()).isZero();
            assertThat(fixture.reports("openreports.io/v1alpha1", "reports")).containsOnlyKeys("mighty", "meek");
            assertThat(fixture.policyReports())
                    .as("the legacy ones are removed")
                    .isEmpty();
        }
    }

    @Test
    void presentsAClientCertificateToServersThatRequireOne() throws Exception {
        createPods();
        var port = FreePort.find();
        var certificate = ServingCertificate.forNames("127.0.0.1");
        var client = dir.resolve("client.key");
        var tls = Path.of("../process/src/test/resources/tls").toAbsolutePath();
        try (var _ = policyServer(port, certificate, "--client-ca-file=" + tls.resolve("root.crt"))) {
            fixture.createPolicy(
                    "p", PODS, "https://127.0.0.1:" + port + "/validate/privileged", certificate.certificatePem(), "");
            Files.copy(tls.resolve("client.key"), client);

            assertThat(fixture.scan().summary().path("error").asInt()).isEqualTo(2);
            var withCertificate = fixture.scan(
                    "--client-cert", tls.resolve("client.crt").toString(), "--client-key", client.toString());
            assertThat(withCertificate.summary().path("error").asInt())
                    .as("%s", withCertificate)
                    .isZero();
            assertThat(withCertificate.summary().path("fail").asInt()).isEqualTo(1);
        }
    }

    @Test
    void reportsFaultyResponsesAsErrorsOfTheirPolicyOnly() throws Exception {
        fixture.createConfigMaps(1);
        var replies = Map.of(
                "/audit/good", ScriptedPolicyServer.ALLOWED,
                "/audit/gateway", new ScriptedPolicyServer.Reply(502, ""),
                "/audit/busy", new ScriptedPolicyServer.Reply(503, "{\"message\": \"too much to do\"}"),
                "/audit/refused", new ScriptedPolicyServer.Reply(422, "{\"message\": \"bad shape\"}"),
                "/audit/broken", new ScriptedPolicyServer.Reply(500, "{\"message\": \"oops\", \"status\": 500}"),
                "/audit/malformed", new ScriptedPolicyServer.Reply(200, "<html>"),
                "/audit/empty", new ScriptedPolicyServer.Reply(200, "{}"));
        try (var server = ScriptedPolicyServer.start(
                path -> replies.getOrDefault(path, new ScriptedPolicyServer.Reply(404, "{}")))) {
            for (var name : List.of("good", "gateway", "busy", "refused", "broken", "malformed", "empty", "missing")) {
                fixture.createPolicy(name, MAPS, server.url() + "/validate/" + name, server.caBundle(), "");
            }
            fixture.createPolicy(
                    "nobody", MAPS, "https://127.0.0.1:" + FreePort.find() + "/validate/x/1", server.caBundle(), "");
            fixture.createPolicy(
                    "typo",
                    MAPS.replace("configmaps", "configmpas"),
                    server.url() + "/validate/good",
                    server.caBundle(),
                    "");
            fixture.createPolicy(
                    "sub",
                    PODS.replace("\"pods\"", "\"pods/exec\""),
                    server.url() + "/validate/good",
                    server.caBundle(),
                    "");
            fixture.createPolicy(
                    "wild",
                    MAPS.replace("\"configmaps\"", "\"*\""),
                    server.url() + "/validate/good",
                    server.caBundle(),
                    "");

            var ended = fixture.scan();

            assertThat(ended.code()).as("%s", ended).isZero();
            var report = fixture.report("map-0");
            assertThat(fixture.result(report, "good").path("result").asText()).isEqualTo("pass");
            assertThat(fixture.result(report, "wild").path("result").asText()).isEqualTo("pass");
            assertError(report, "gateway", "the policy server answered 502");
            assertError(report, "broken", "the policy server answered 500: oops");
            assertError(report, "malformed", "something that is no AdmissionReview");
            assertError(report, "empty", "something that is no AdmissionReview");
            assertError(report, "missing", "policy not reachable after 6 attempts");
            assertError(report, "busy", "503: too much to do");
            assertError(report, "refused", "422: bad shape");
            assertError(report, "nobody", "the policy server cannot be reached");
            assertThat(report.at("/summary/error").asInt())
                    .as("eight, and the typo")
                    .isEqualTo(9);
            assertThat(report.at("/summary/skip").asInt()).as("the subresource").isEqualTo(1);
            assertThat(server.calls("/audit/gateway")).isEqualTo(4);
            assertThat(ended.lines().toString()).contains("configmpas: the API server serves no such resource");
        }
    }

    private void assertError(JsonNode report, String policy, String message) {
        assertThat(fixture.result(report, policy).path("result").asText()).isEqualTo("error");
        assertThat(fixture.result(report, policy).path("message").asText()).contains(message);
    }

    @Test
    void followsAPolicyThatMovesDuringTheScan() throws Exception {
        fixture.createConfigMaps(5);
        var moved = new CountDownLatch(1);
        try (var server = ScriptedPolicyServer.start(path -> {
            if (path.endsWith("/2")) {
                return ScriptedPolicyServer.ALLOWED;
            }
            moved.countDown();
            return new ScriptedPolicyServer.Reply(404, "{\"message\": \"unknown policy\", \"status\": 404}");
        })) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p/1", server.caBundle(), "");
            var controller = Thread.startVirtualThread(() -> {
                try {
                    moved.await();
                    fixture.move("p", server.url() + "/validate/p/2");
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });

            var ended = fixture.scan("--retry-interval", "200ms");
            controller.join();

            assertThat(ended.summary().path("pass").asInt()).as("%s", ended).isEqualTo(5);
            assertThat(fixture.policyReports().values())
                    .allSatisfy(report -> assertThat(fixture.result(report, "p")
                                    .at("/properties/policy-generation")
                                    .asText())
                            .isEqualTo("2"));
        }
    }

    @Test
    void givesUpOnAnUnreachablePolicyOnceAndContinues() throws Exception {
        fixture.createConfigMaps(20);
        try (var server = ScriptedPolicyServer.start(path -> path.equals("/audit/good/1")
                ? ScriptedPolicyServer.ALLOWED
                : new ScriptedPolicyServer.Reply(404, "{}"))) {
            fixture.createPolicy("good", MAPS, server.url() + "/validate/good/1", server.caBundle(), "");
            fixture.createPolicy("lost", MAPS, server.url() + "/validate/lost/9", server.caBundle(), "");

            var ended = fixture.scan("--parallel-resources", "4");

            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.summary().path("pass").asInt()).isEqualTo(20);
            assertThat(ended.summary().path("error").asInt()).isEqualTo(20);
            assertThat(ended.summary().path("policies_errored").asInt()).isEqualTo(1);
            assertError(fixture.report("map-7"), "lost", "policy generation 9 not reachable after 6 attempts");
            assertThat(server.calls("/audit/lost/9"))
                    .as("four at once, six times by one of them, then no more")
                    .isLessThanOrEqualTo(4 + 6);
        }
    }

    @Test
    void appliesSelectorsAndConditions() throws Exception {
        fixture.createConfigMaps(3);
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            var url = server.url() + "/validate/p";
            fixture.createPolicy(
                    "labels",
                    MAPS,
                    url,
                    server.caBundle(),
                    ", \"objectSelector\": {\"matchLabels\": {\"number\": \"1\"}}");
            fixture.createPolicy("names", MAPS, url, server.caBundle(), """
                , "matchConditions": [{"name": "two", "expression": "object.metadata.name == 'map-2'"}]\
                """);
            fixture.createPolicy("users", MAPS, url, server.caBundle(), """
                , "matchConditions": [{"name": "user", "expression": "request.userInfo.username == 'x'"}]\
                """);

            fixture.scan();

            assertThat(policiesIn("map-0")).containsExactly(fixture.idOf("users"));
            assertThat(policiesIn("map-1")).containsExactly(fixture.idOf("labels"), fixture.idOf("users"));
            assertThat(policiesIn("map-2")).containsExactly(fixture.idOf("names"), fixture.idOf("users"));
            assertThat(fixture.result(fixture.report("map-0"), "users")
                            .at("/properties/match-conditions")
                            .asText())
                    .isEqualTo("not-evaluated");
        }
    }

    private List<String> policiesIn(String object) {
        return fixture.report(object).path("results").findValuesAsText("policy");
    }

    @Test
    void removesStaleReportsAndEnforcesTheReportLimit() throws Exception {
        fixture.createConfigMaps(4);
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");

            var limited = fixture.scan("--max-reports", "3", "-k", fixture.namespace);
            assertThat(limited.code()).as("%s", limited).isZero();
            assertThat(limited.summary().path("reports_refused").asInt()).isEqualTo(1);
            assertThat(fixture.policyReports()).hasSize(3);
            assertThat(cluster.client()
                            .v1()
                            .events()
                            .inNamespace(fixture.namespace)
                            .list()
                            .getItems())
                    .extracting(event -> event.getReason() + ": " + event.getMessage())
                    .containsExactly("ReportCeilingReached: there are 3 reports, as many as --max-reports allows: 1"
                            + " objects were audited and have none");

            cluster.client()
                    .configMaps()
                    .inNamespace(fixture.namespace)
                    .withName("map-0")
                    .delete();
            fixture.scan("--disable-store");
            assertThat(fixture.policyReports())
                    .as("without the store nothing is removed")
                    .hasSize(3);
            assertThat(fixture.scan().code()).isZero();
            assertThat(fixture.policyReports()).containsOnlyKeys("map-1", "map-2", "map-3");
        }
    }

    @Test
    void recoversFromAKilledRun() throws Exception {
        fixture.createConfigMaps(30);
        var requests = new AtomicInteger();
        var release = new CountDownLatch(1);
        try (var server = ScriptedPolicyServer.start(_ -> {
            if (requests.incrementAndGet() > 10 && release.getCount() > 0) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return ScriptedPolicyServer.ALLOWED;
        })) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");
            try (var scanner = fixture.start(dir.resolve("scanner.log"), "--parallel-resources=2")) {
                Awaitility.await()
                        .atMost(LIMIT)
                        .until(() -> !fixture.policyReports().isEmpty() && requests.get() > 10);
                scanner.kill();
            }
            assertThat(fixture.policyReports().size()).isBetween(1, 29);
            assertThat(fixture.policyReports().values())
                    .as("existing reports are complete")
                    .allSatisfy(report ->
                            assertThat(report.at("/summary/pass").asInt()).isEqualTo(1));
            var reported = fixture.policyReports().keySet().iterator().next();
            cluster.client()
                    .configMaps()
                    .inNamespace(fixture.namespace)
                    .withName(reported)
                    .delete();
            release.countDown();

            var next = fixture.scan();

            assertThat(next.code()).as("%s", next).isZero();
            assertThat(fixture.policyReports()).hasSize(29).doesNotContainKey(reported);
            assertThat(next.summary().path("reports_removed").asInt()).isEqualTo(1);
        }
    }

    @Test
    void writesClusterReportsForClusterScopedObjects() throws Exception {
        var namespaces = MAPS.replace("configmaps", "namespaces");
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            fixture.createConfigMaps(1);
            fixture.createPolicy("spaces", namespaces, server.url() + "/validate/p", server.caBundle(), "");
            fixture.createPolicy("maps", MAPS, server.url() + "/validate/p", server.caBundle(), "");

            var ended = AuditFixture.run(cluster.local().kubeconfig(), List.of("--retry-interval", "5ms"));

            assertThat(ended.code()).as("%s", ended).isZero();
            var reports = AuditFixture.tree(cluster.client().raw("/apis/wgpolicyk8s.io/v1alpha2/clusterpolicyreports"))
                    .path("items");
            assertThat(reports).hasSize(1);
            assertThat(reports.get(0).at("/scope/name").asText())
                    .as("the namespace selector is about the Namespace's own labels")
                    .isEqualTo(fixture.namespace);
            assertThat(fixture.policyReports()).containsOnlyKeys("map-0");

            var only = AuditFixture.run(
                    cluster.local().kubeconfig(), List.of("--cluster", "--disable-store", "--retry-interval", "5ms"));
            assertThat(only.summary().path("pass").asInt()).isEqualTo(1);
        }
    }
}
