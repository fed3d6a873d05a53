package io.portcullis.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests how the scanner reads objects from a real API server: in pages, once per type, and during concurrent changes.
 */
@Tag("level1")
@RealCluster
class AuditListsIT {

    private static final String MAPS =
            "{\"apiGroups\": [\"\"], \"apiVersions\": [\"v1\"], \"resources\": [\"configmaps\"], \"operations\":"
                    + " [\"*\"]}";
    private static final String SCALERS = """
        {"apiGroups": ["autoscaling"], "apiVersions": [%s], "resources": ["horizontalpodautoscalers"],
         "operations": ["CREATE"]}\
        """;
    private static final int LARGE_OBJECTS = 50;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path dir;

    private final TestCluster cluster;
    private final AuditFixture fixture;

    AuditListsIT(TestCluster cluster) {
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

    private long listsOf(String resource) {
        return ListCalls.now(cluster.client()).of(resource);
    }

    @Test
    void requestsEveryPageOnceForAllPolicies() throws Exception {
        fixture.createConfigMaps(25);
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p/3", server.caBundle(), "");
            fixture.createPolicy("q", MAPS, server.url() + "/validate/q/1", server.caBundle(), "");
            var before = listsOf("configmaps");

            var small = fixture.scan("--disable-store", "--page-size", "10", "--output-scan");

            assertThat(listsOf("configmaps") - before)
                    .as("of 25, ten at a time, as the API server counts")
                    .isEqualTo(3);
            assertThat(small.summary().path("objects").asInt()).isEqualTo(25);
            assertThat(small.summary().path("pass").asInt()).isEqualTo(50);
            assertThat(small.lines().stream()
                            .filter(line -> line.path("kind").asText().equals("PolicyReport"))
                            .map(line -> line.at("/scope/name").asText()))
                    .doesNotHaveDuplicates()
                    .hasSize(25);
            assertThat(fixture.policyReports()).as("nothing is stored").isEmpty();

            fixture.scan("--disable-store", "--page-size", "25");
            assertThat(listsOf("configmaps") - before)
                    .as("one more, with room for all")
                    .isEqualTo(3 + 1);
        }
    }

    /** Neither a page of these objects nor all their reviews fit into the scanner's memory limit. */
    @Test
    void limitsMemoryForObjectsOfAlmostOneMegabyte() throws Exception {
        IntStream.range(0, LARGE_OBJECTS)
                .parallel()
                .forEach(i -> cluster.client()
                        .resource(new ConfigMapBuilder()
                                .withNewMetadata()
                                .withName("large-" + i)
                                .withNamespace(fixture.namespace)
                                .endMetadata()
                                .addToData("data", "x".repeat(900_000))
                                .build())
                        .create());
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");
            fixture.createPolicy("q", MAPS, server.url() + "/validate/q", server.caBundle(), "");

            try (var scanner =
                    fixture.start(dir.resolve("scanner.log"), "--page-size=100", "--parallel-resources=100")) {
                Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> !scanner.isAlive());

                assertThat(scanner.output())
                        .contains("\"message\":\"audit finished\"")
                        .contains("\"objects\":" + LARGE_OBJECTS + ",\"pass\":" + 2 * LARGE_OBJECTS + ",");
            }
            assertThat(fixture.policyReports()).hasSize(LARGE_OBJECTS);
        } finally {
            cluster.client().configMaps().inNamespace(fixture.namespace).delete();
        }
    }

    /** The API server really expires the list: it responds to the second page with 410 Gone and a continue token. */
    @Test
    void continuesAnExpiredListAtTheSamePosition() throws Exception {
        fixture.createConfigMaps(25);
        var reached = new CountDownLatch(1);
        var expiredLatch = new CountDownLatch(1);
        try (var server = ScriptedPolicyServer.start(_ -> {
                    reached.countDown();
                    await(expiredLatch);
                    return ScriptedPolicyServer.ALLOWED;
                });
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");
            var scan = threads.submit(() -> fixture.scan("--page-size", "10", "--parallel-resources", "1"));
            long expired;
            try {
                await(reached);
                expireTheScannersList();
                expired = ListCalls.now(cluster.client()).expiredOf("configmaps");
            } finally {
                expiredLatch.countDown();
            }

            var ended = scan.get(LIMIT.toSeconds(), TimeUnit.SECONDS);

            assertThat(ListCalls.now(cluster.client()).expiredOf("configmaps") - expired)
                    .as("the API server reported that the list has expired")
                    .isEqualTo(1);
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.summary().path("objects").asInt())
                    .as("none twice, none left out")
                    .isEqualTo(25);
            assertThat(fixture.policyReports()).hasSize(25);
        }
    }

    /**
     * Compacts etcd and waits until a list from this moment has expired. The scanner's list has the same or an older
     * revision.
     */
    private void expireTheScannersList() {
        var path = "/api/v1/namespaces/" + fixture.namespace + "/configmaps?limit=1";
        var token = AuditFixture.tree(cluster.client().raw(path))
                .at("/metadata/continue")
                .asText();
        fixture.create(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("before-all-others")
                .withNamespace(fixture.namespace)
                .endMetadata()
                .build());
        cluster.local().compactEtcd();
        Awaitility.await().atMost(LIMIT).until(() -> {
            try {
                cluster.client().raw(path + "&continue=" + token);
                return false;
            } catch (KubernetesClientException e) {
                return e.getCode() == 410;
            }
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void createScaler(String name) {
        fixture.create(fixture.resource("""
            apiVersion: autoscaling/v2
            kind: HorizontalPodAutoscaler
            metadata: {name: %s, namespace: %s}
            spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}}
            """.formatted(name, fixture.namespace)));
    }

    @Test
    void evaluatesAnObjectOnceInTheVersionThatEachPolicyRequires() throws Exception {
        createScaler("scaler");
        try (var server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED)) {
            for (var versions : List.of("\"v1\"", "\"v2\"", "\"v1\", \"v2\"")) {
                var name = "p" + versions.replaceAll("[^12]", "");
                fixture.createPolicy(
                        name, SCALERS.formatted(versions), server.url() + "/validate/" + name, server.caBundle(), "");
            }
            var before = listsOf("horizontalpodautoscalers");

            var ended = fixture.scan();

            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(listsOf("horizontalpodautoscalers") - before).isEqualTo(1);
            assertThat(ended.summary().path("objects").asInt()).isEqualTo(1);
            assertThat(fixture.report("scaler").path("results").findValuesAsText("policy"))
                    .as("each once")
                    .containsExactly(fixture.idOf("p1"), fixture.idOf("p12"), fixture.idOf("p2"));
            assertThat(fixture.report("scaler").at("/summary/pass").asInt()).isEqualTo(3);
            for (var version : List.of("1", "2")) {
                var request = server.lastReview("/audit/p" + version).path("request");
                assertThat(request.at("/object/apiVersion").asText()).isEqualTo("autoscaling/v" + version);
                assertThat(request.at("/resource/version").asText()).isEqualTo("v" + version);
                assertThat(request.at("/resource/resource").asText()).isEqualTo("horizontalpodautoscalers");
            }
        }
    }

    @Test
    void toleratesObjectsDeletedDuringTheScanAndRemovesTheirReportsNextTime() throws Exception {
        fixture.createConfigMaps(3);
        createScaler("a");
        createScaler("b");
        var deletions = new ConcurrentHashMap<String, Runnable>(Map.of(
                "/audit/maps",
                () -> cluster.client()
                        .configMaps()
                        .inNamespace(fixture.namespace)
                        .withName("map-2")
                        .delete(),
                "/audit/scalers",
                () -> cluster.client()
                        .autoscaling()
                        .v2()
                        .horizontalPodAutoscalers()
                        .inNamespace(fixture.namespace)
                        .withName("b")
                        .delete()));
        try (var server = ScriptedPolicyServer.start(path -> {
            Optional.ofNullable(deletions.remove(path)).ifPresent(Runnable::run);
            return ScriptedPolicyServer.ALLOWED;
        })) {
            fixture.createPolicy("maps", MAPS, server.url() + "/validate/maps", server.caBundle(), "");
            for (var version : List.of("1", "2")) {
                fixture.createPolicy(
                        "v" + version,
                        SCALERS.formatted("\"v" + version + "\""),
                        server.url() + "/validate/scalers",
                        server.caBundle(),
                        "");
            }

            var first = fixture.scan("--parallel-resources", "1", "--parallel-policies", "1");
            assertThat(first.code()).as("%s", first).isZero();
            assertThat(first.summary().path("error").asInt()).isZero();
            assertThat(first.summary().path("pass").asInt())
                    .as("3 maps, 2 versions of a, of b the one that was listed")
                    .isEqualTo(3 + 2 + 1);

            var next = fixture.scan();
            assertThat(next.code()).as("%s", next).isZero();
            assertThat(fixture.policyReports()).containsOnlyKeys("map-0", "map-1", "a");
        }
    }

    @Test
    void skipsReportsOfATerminatingNamespaceWithoutFailing() throws Exception {
        fixture.createConfigMaps(5);
        var isFirst = new AtomicBoolean(true);
        try (var server = ScriptedPolicyServer.start(_ -> {
            if (isFirst.compareAndSet(true, false)) {
                cluster.client().namespaces().withName(fixture.namespace).delete();
            }
            return ScriptedPolicyServer.ALLOWED;
        })) {
            fixture.createPolicy("p", MAPS, server.url() + "/validate/p", server.caBundle(), "");

            var ended = fixture.scan("--parallel-resources", "1");

            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.summary().path("pass").asInt()).isEqualTo(5);
            assertThat(ended.summary().path("reports_gone").asInt()).isEqualTo(5);
            assertThat(fixture.policyReports()).isEmpty();
        }
    }
}
