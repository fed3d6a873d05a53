package io.portcullis.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.net.ServerSocket;
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

/** The scanner on a real API server: with a real policy server and policies, and with servers that misbehave. */
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
    private final AuditFixture world;

    @TempDir
    Path dir;

    AuditScannerIT(TestCluster cluster) {
        this.cluster = cluster;
        this.world = new AuditFixture(cluster);
    }

    @BeforeAll
    static void install(TestCluster cluster) {
        cluster.defineOurKinds();
        AuditFixture.install(cluster, "reports/wgpolicyk8s.io.yaml");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void makePods() {
        world.make(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("default")
                .withNamespace(world.namespace)
                .endMetadata()
                .build());
        for (var privileged : List.of(true, false)) {
            world.make(new PodBuilder()
                    .withNewMetadata()
                    .withName(privileged ? "mighty" : "meek")
                    .withNamespace(world.namespace)
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

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** The real server with our privileged-pods policy, over TLS, with certificate and key in {@code dir}. */
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
                "--readiness-probe-port=" + freePort(),
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
    void realPoliciesJudgeWhatRunsAndBothKindsOfReportsSaySo() throws Exception {
        makePods();
        var port = freePort();
        var certificate = ServingCertificate.forNames("127.0.0.1");
        try (var _ = policyServer(port, certificate)) {
            world.makePolicy(
                    "p", PODS, "https://127.0.0.1:" + port + "/validate/privileged", certificate.certificatePem(), "");

            var first = world.scan();

            assertThat(first.code()).as("%s", first).isZero();
            var mighty = world.report("mighty");
            assertThat(world.result(mighty, "p").path("result").asText()).isEqualTo("fail");
            assertThat(world.result(mighty, "p").path("message").asText()).contains("rivileged");
            assertThat(mighty.at("/summary/fail").asInt()).isEqualTo(1);
            assertThat(mighty.at("/metadata/ownerReferences/0/name").asText()).isEqualTo("mighty");
            assertThat(world.result(world.report("meek"), "p").path("result").asText())
                    .isEqualTo("pass");
            assertThat(world.scan().summary().path("reports_unchanged").asInt()).isEqualTo(2);

            AuditFixture.uninstall(cluster, "reports/openreports.io.yaml");
            var withoutDefinitions = world.scan("--report-kind", "openreports");
            assertThat(withoutDefinitions.code()).isEqualTo(1);
            assertThat(withoutDefinitions.lines().toString()).contains("their definitions are not installed");
            assertThat(withoutDefinitions.summary().path("fail").asInt()).isEqualTo(1);

            AuditFixture.install(cluster, "reports/openreports.io.yaml");
            assertThat(world.scan("--report-kind", "openreports").code()).isZero();
            assertThat(world.reports("openreports.io/v1alpha1", "reports")).containsOnlyKeys("mighty", "meek");
            assertThat(world.policyReports()).as("the legacy ones are removed").isEmpty();
        }
    }

    @Test
    void aServerThatAsksForCertificatesGetsOne() throws Exception {
        makePods();
        var port = freePort();
        var certificate = ServingCertificate.forNames("127.0.0.1");
        var client = dir.resolve("client.key");
        var tls = Path.of("../process/src/test/resources/tls").toAbsolutePath();
        try (var _ = policyServer(port, certificate, "--client-ca-file=" + tls.resolve("root.crt"))) {
            world.makePolicy(
                    "p", PODS, "https://127.0.0.1:" + port + "/validate/privileged", certificate.certificatePem(), "");
            Files.copy(tls.resolve("client.key"), client);

            assertThat(world.scan().summary().path("error").asInt()).isEqualTo(2);
            var known = world.scan(
                    "--client-cert", tls.resolve("client.crt").toString(), "--client-key", client.toString());
            assertThat(known.summary().path("error").asInt()).as("%s", known).isZero();
            assertThat(known.summary().path("fail").asInt()).isEqualTo(1);
        }
    }

    @Test
    void badAnswersAreErrorsWithTheirReasonAndHarmNobodyElse() throws Exception {
        world.makeConfigMaps(1);
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
                world.makePolicy(name, MAPS, server.url() + "/validate/" + name, server.caBundle(), "");
            }
            world.makePolicy(
                    "nobody", MAPS, "https://127.0.0.1:" + freePort() + "/validate/x/1", server.caBundle(), "");
            world.makePolicy(
                    "typo",
                    MAPS.replace("configmaps", "configmpas"),
                    server.url() + "/validate/good",
                    server.caBundle(),
                    "");
            world.makePolicy(
                    "sub",
                    PODS.replace("\"pods\"", "\"pods/exec\""),
                    server.url() + "/validate/good",
                    server.caBundle(),
                    "");
            world.makePolicy(
                    "wild",
                    MAPS.replace("\"configmaps\"", "\"*\""),
                    server.url() + "/validate/good",
                    server.caBundle(),
                    "");

            var ended = world.scan();

            assertThat(ended.code()).as("%s", ended).isZero();
            var report = world.report("map-0");
            assertThat(world.result(report, "good").path("result").asText()).isEqualTo("pass");
            assertThat(world.result(report, "wild").path("result").asText()).isEqualTo("pass");
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
        assertThat(world.result(report, policy).path("result").asText()).isEqualTo("error");
        assertThat(world.result(report, policy).path("message").asText()).contains(message);
    }

    @Test
    void aPolicyThatMovesMeanwhileIsFollowed() throws Exception {
        world.makeConfigMaps(5);
        var moved = new CountDownLatch(1);
        try (var server = ScriptedPolicyServer.start(path -> {
            if (path.endsWith("/2")) {
                return ScriptedPolicyServer.ALLOWED;
            }
            moved.countDown();
            return new ScriptedPolicyServer.Reply(404, "{\"message\": \"unknown policy\", \"status\": 404}");
        })) {
            world.makePolicy("p", MAPS, server.url() + "/validate/p/1", server.caBundle(), "");
            var controller = Thread.startVirtualThread(() -> {
                try {
                    moved.await();
                    world.move("p", server.url() + "/validate/p/2");
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });

            var ended = world.scan("--retry-interval", "200ms");
            controller.join();

            assertThat(ended.summary().path("pass").asInt()).as("%s", ended).isEqualTo(5);
            assertThat(world.policyReports().values())
                    .allSatisfy(report -> assertThat(world.result(report, "p")
                                    .at("/properties/policy-generation")
                                    .asText())
                            .isEqualTo("2"));
        }
    }

    @Test
    void aPolicyThatStaysAwayIsGivenUpOnceAndTheScanGoesOn() throws Exception {
        world.makeConfigMaps(20);
        try (var server = ScriptedPolicyServer.start(path -> path.equals("/audit/good/1")
                ? ScriptedPolicyServer.ALLOWED
                : new ScriptedPolicyServer.Reply(404, "{}"))) {
            world.makePolicy("good", MAPS, server.url() + "/validate/good/1", server.caBundle(), "");
            world.makePolicy("lost", MAPS, server.url() + "/validate/lost/9", server.caBundle(), "");

            var ended = world.scan("--parallel-resources", "4");

            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.summary().path("pass").asInt()).isEqualTo(20);
            assertThat(ended.summary().path("error").asInt()).isEqualTo(20);
            assertThat(ended.summary().path("policies_errored").asInt()).isEqualTo(1);
            assertError(world.report("map-7"), "lost", "policy generation 9 not reachable after 6 attempts");
            assertThat(server.calls("/audit/lost/9"))
                    .as("four at once, six times by one of them, then no more")
                    .isLessThanOrEqualTo(4 + 6);
        }
    }

    @Test
    void selectorsAndConditionsCount() throws Exception {
        world.makeConfigMaps(3);
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            var url = server.url() + "/validate/p";
            world.makePolicy(
                    "labels",
                    MAPS,
                    url,
                    server.caBundle(),
                    ", \"objectSelector\": {\"matchLabels\": {\"number\": \"1\"}}");
            world.makePolicy("names", MAPS, url, server.caBundle(), """
                , "matchConditions": [{"name": "two", "expression": "object.metadata.name == 'map-2'"}]\
                """);
            world.makePolicy("users", MAPS, url, server.caBundle(), """
                , "matchConditions": [{"name": "user", "expression": "request.userInfo.username == 'x'"}]\
                """);

            world.scan();

            assertThat(policiesIn("map-0")).containsExactly(world.idOf("users"));
            assertThat(policiesIn("map-1")).containsExactly(world.idOf("labels"), world.idOf("users"));
            assertThat(policiesIn("map-2")).containsExactly(world.idOf("names"), world.idOf("users"));
            assertThat(world.result(world.report("map-0"), "users")
                            .at("/properties/match-conditions")
                            .asText())
                    .isEqualTo("not-evaluated");
        }
    }

    private List<String> policiesIn(String object) {
        return world.report(object).path("results").findValuesAsText("policy");
    }

    @Test
    void oldReportsGoAndTheCeilingHolds() throws Exception {
        world.makeConfigMaps(4);
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            world.makePolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");

            var limited = world.scan("--max-reports", "3", "-k", world.namespace);
            assertThat(limited.code()).as("%s", limited).isZero();
            assertThat(limited.summary().path("reports_refused").asInt()).isEqualTo(1);
            assertThat(world.policyReports()).hasSize(3);
            assertThat(cluster.client()
                            .v1()
                            .events()
                            .inNamespace(world.namespace)
                            .list()
                            .getItems())
                    .extracting(event -> event.getReason() + ": " + event.getMessage())
                    .containsExactly("ReportCeilingReached: there are 3 reports, as many as --max-reports allows: 1"
                            + " objects were audited and have none");

            cluster.client()
                    .configMaps()
                    .inNamespace(world.namespace)
                    .withName("map-0")
                    .delete();
            world.scan("--disable-store");
            assertThat(world.policyReports())
                    .as("without the store nothing is removed")
                    .hasSize(3);
            assertThat(world.scan().code()).isZero();
            assertThat(world.policyReports()).containsOnlyKeys("map-1", "map-2", "map-3");
        }
    }

    @Test
    void aRunThatIsKilledLeavesNothingThatTheNextCannotMend() throws Exception {
        world.makeConfigMaps(30);
        var asked = new AtomicInteger();
        var never = new CountDownLatch(1);
        try (var server = ScriptedPolicyServer.start(_ -> {
            if (asked.incrementAndGet() > 10 && never.getCount() > 0) {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return ScriptedPolicyServer.ALLOWED;
        })) {
            world.makePolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");
            try (var scanner = world.start(dir.resolve("scanner.log"), "--parallel-resources=2")) {
                Awaitility.await()
                        .atMost(LIMIT)
                        .until(() -> !world.policyReports().isEmpty() && asked.get() > 10);
                scanner.kill();
            }
            assertThat(world.policyReports().size()).isBetween(1, 29);
            assertThat(world.policyReports().values())
                    .as("what is there is whole")
                    .allSatisfy(report ->
                            assertThat(report.at("/summary/pass").asInt()).isEqualTo(1));
            var reported = world.policyReports().keySet().iterator().next();
            cluster.client()
                    .configMaps()
                    .inNamespace(world.namespace)
                    .withName(reported)
                    .delete();
            never.countDown();

            var next = world.scan();

            assertThat(next.code()).as("%s", next).isZero();
            assertThat(world.policyReports()).hasSize(29).doesNotContainKey(reported);
            assertThat(next.summary().path("reports_removed").asInt()).isEqualTo(1);
        }
    }

    @Test
    void objectsOutsideOfNamespacesHaveReportsOfTheirOwn() throws Exception {
        var namespaces = MAPS.replace("configmaps", "namespaces");
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            world.makeConfigMaps(1);
            world.makePolicy("spaces", namespaces, server.url() + "/validate/p", server.caBundle(), "");
            world.makePolicy("maps", MAPS, server.url() + "/validate/p", server.caBundle(), "");

            var ended = AuditFixture.run(cluster.local().kubeconfig(), List.of("--retry-interval", "5ms"));

            assertThat(ended.code()).as("%s", ended).isZero();
            var reports = AuditFixture.tree(cluster.client().raw("/apis/wgpolicyk8s.io/v1alpha2/clusterpolicyreports"))
                    .path("items");
            assertThat(reports).hasSize(1);
            assertThat(reports.get(0).at("/scope/name").asText())
                    .as("the namespace selector is about the Namespace's own labels")
                    .isEqualTo(world.namespace);
            assertThat(world.policyReports()).containsOnlyKeys("map-0");

            var only = AuditFixture.run(
                    cluster.local().kubeconfig(), List.of("--cluster", "--disable-store", "--retry-interval", "5ms"));
            assertThat(only.summary().path("pass").asInt()).isEqualTo(1);
        }
    }
}
