package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.DockerConfig;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.FreePort;
import io.portcullis.testkit.program.RunningProgram;
import io.portcullis.testkit.registry.LocalRegistry;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs replicas of one server against a real API server and a real registry. The test acts as the controller. */
@RealCluster
@Tag("level1")
@NeedsTools("registry")
class ClusterReplicaIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path POLICIES = Path.of("../policies");

    private final TestCluster cluster;
    private final String server = "s" + UUID.randomUUID().toString().substring(0, 8);
    private final String uid = UUID.randomUUID().toString();

    @TempDir
    Path directory;

    private LocalRegistry registry;

    ClusterReplicaIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeEach
    void prepare() throws Exception {
        cluster.installCrds();
        CacheCertificates.in(Files.createDirectories(directory.resolve("pki")), server);
        Files.writeString(directory.resolve("token"), "open sesame\n");
        registry = LocalRegistry.plain(Files.createDirectories(directory.resolve("registry")));
        push("good:v1", POLICIES.resolve("privileged-pods/policy.wasm"));
        push("broken:v1", POLICIES.resolve("misbehaving/no-guest-call.wasm"));
    }

    @AfterEach
    void end() {
        registry.close();
    }

    private void push(String name, Path wasm) throws IOException {
        var environment = Map.<String, String>of();
        try (var transport = new Transport(Sources.load(sources(), environment))) {
            var client =
                    new RegistryClient(transport, DockerConfig.load(Optional.empty(), environment), Clock.systemUTC());
            new PolicyArtifacts(client)
                    .push(
                            ImageReference.parse(registry.host() + "/" + name),
                            Files.readAllBytes(wasm),
                            Map.of(),
                            DownloadProgress.SILENT);
        }
    }

    private Path sources() throws IOException {
        return Files.writeString(directory.resolve("sources.yml"), "insecure_sources: [\"" + registry.host() + "\"]\n");
    }

    private String podName(int ordinal) {
        return "policy-server-" + server + "-" + ordinal;
    }

    private List<String> arguments(int ordinal, Path cache) throws IOException {
        return List.of(
                "--policy-server-name=" + server,
                "--namespace=" + cluster.namespace(),
                "--pod-name=" + podName(ordinal),
                "--pod-uid=uid-" + ordinal,
                "--policies-download-dir=" + directory.resolve("tmp-" + ordinal),
                "--sources-path=" + sources(),
                "--cache-dir=" + cache,
                "--cache-signer-cert=" + directory.resolve("pki/tls.crt"),
                "--cache-signer-key=" + directory.resolve("pki/tls.key"),
                "--cache-ca=" + directory.resolve("pki"),
                "--evidence-token-file=" + directory.resolve("token"));
    }

    private Map<String, String> environment() {
        return Map.of("KUBECONFIG", cluster.local().kubeconfig().toString());
    }

    private PolicyServerProgram replica(int ordinal, String... more) throws Exception {
        return replica(ordinal, new Metrics(), more);
    }

    private PolicyServerProgram replica(int ordinal, Metrics metrics, String... more) throws Exception {
        var arguments = new ArrayList<>(arguments(ordinal, directory.resolve("cache")));
        arguments.addAll(List.of(more));
        var settings = RunningServer.settings(directory, arguments.toArray(String[]::new));
        return PolicyServerProgram.start(settings, environment(), metrics, Tracing.OFF);
    }

    /** Starts a replica as a process of its own. */
    private RunningProgram replicaProcess(int ordinal, Path cache, int readinessPort) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.portcullis.server.Main",
                "--addr=127.0.0.1",
                "--port=0",
                "--drain-lag=0s",
                "--readiness-probe-port=" + readinessPort));
        command.addAll(arguments(ordinal, cache));
        return RunningProgram.start(directory.resolve("replica-" + ordinal + ".log"), command, environment());
    }

    private Resource<PolicyRevision> create(long generation, String module, String settings) throws IOException {
        var policy = new ClusterAdmissionPolicy();
        policy.setMetadata(new ObjectMetaBuilder()
                .withName("p" + server)
                .withUid(uid)
                .withGeneration(generation)
                .build());
        policy.setSpec((ObjectNode) JSON.readTree("""
            {"policyServer": "%s", "module": "%s", "settings": %s, "mutating": false,
             "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}]}
            """.formatted(server, registry.host() + "/" + module, settings)));
        var revision = new DesiredRevision(IdentityScheme.DOTTED, cluster.namespace()).of(policy);
        return cluster.client().resource(cluster.client().resource(revision).create());
    }

    private void setFlags(Resource<PolicyRevision> revision, boolean enabled, boolean active) {
        cluster.client()
                .resources(PolicyRevision.class)
                .inNamespace(cluster.namespace())
                .withName(revision.get().getMetadata().getName())
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\": {\"enabled\": " + enabled + ", \"active\": " + active + "}}");
    }

    private static List<String> conditions(PolicyRevision revision) {
        return revision.getStatus() == null
                ? List.of()
                : revision.getStatus().conditions().stream()
                        .map(each -> each.type() + each.replica() + "=" + each.reason())
                        .sorted()
                        .toList();
    }

    private PolicyRevision awaitConditions(Resource<PolicyRevision> revision, String... conditions) {
        return cluster.await(revision, object -> conditions(object).containsAll(List.of(conditions)), TIMEOUT);
    }

    private String path(long generation) {
        return "/validate/kw.cap.p" + server + "/" + generation;
    }

    @Test
    void everyReplicaServesANewRevisionAndUnloadsADeletedOne() throws Exception {
        var first = create(1, "good:v1", "{}");
        try (var one = replica(0);
                var two = replica(1);
                var three = replica(2)) {
            var object = awaitConditions(first, "Ready0=PolicyReady", "Ready1=PolicyReady", "Ready2=PolicyReady");
            assertThat(documented(object)).containsExactlyInAnyOrderElementsOf(ready(1));
            assertThat(new ObservedRevision(object).term()).isEqualTo(1);
            assertThat(new ObservedRevision(object).status().conditions())
                    .filteredOn(each -> each.type().equals("Ready"))
                    .extracting(Condition::reporterUID)
                    .containsExactlyInAnyOrder("uid-0", "uid-1", "uid-2");
            setFlags(first, true, true);
            for (var each : List.of(one, two, three)) {
                await().atMost(TIMEOUT).until(each::isReady);
                var http = new RawHttp(each.apiPort());
                assertThat(http.post(path(1), Reviews.rejected()).body()).contains("\"allowed\":false");
                assertThat(http.post(path(1), Reviews.allowed()).body()).contains("\"allowed\":true");
                assertThat(http.post(path(2), Reviews.allowed()).status()).isEqualTo(404);
                assertEvidence(http, object);
            }

            var second = create(2, "good:v1", "{\"skip_init_containers\": true}");
            var updated = awaitConditions(second, "Ready0=PolicyReady", "Ready1=PolicyReady", "Ready2=PolicyReady");
            assertThat(documented(updated)).containsExactlyInAnyOrderElementsOf(ready(2));
            var http = new RawHttp(two.apiPort());
            assertThat(http.post(path(1), privilegedInitContainer()).body()).contains("\"allowed\":false");
            assertThat(http.post(path(2), privilegedInitContainer()).body())
                    .as("each path uses the settings of its generation")
                    .contains("\"allowed\":true");
            assertThat(http.post(path(2), Reviews.rejected()).body()).contains("\"allowed\":false");

            setFlags(first, false, false);
            cluster.await(
                    first, each -> conditions(each).stream().noneMatch(text -> text.startsWith("Ready")), TIMEOUT);
            assertThat(http.post(path(1), Reviews.allowed()).status()).isEqualTo(404);
            assertThat(http.post(path(2), Reviews.allowed()).status()).isEqualTo(200);
        }
    }

    /** Returns the conditions with the fields that the lifecycle RFC documents. */
    private static List<String> documented(PolicyRevision revision) {
        return new ObservedRevision(revision)
                .status().conditions().stream()
                        .map(each -> "%s %s %s generation %d replica %d: %s"
                                .formatted(
                                        each.type(),
                                        each.status().wireName(),
                                        each.reason(),
                                        each.generation(),
                                        each.replica(),
                                        each.message()))
                        .toList();
    }

    /** The texts of the lifecycle RFC for a generation that three replicas serve. */
    private static List<String> ready(long generation) {
        return Stream.of(
                        "Scheduled True PolicyScheduled generation %d replica -1: The policy was scheduled by the"
                                + " PolicyServer.",
                        "Initialized True PolicyInitialized generation %d replica -1: The policy was successfully"
                                + " initialized.",
                        "Ready True PolicyReady generation %d replica 0: The policy is ready to be used.",
                        "Ready True PolicyReady generation %d replica 1: The policy is ready to be used.",
                        "Ready True PolicyReady generation %d replica 2: The policy is ready to be used.")
                .map(text -> text.replace("%d", Long.toString(generation)))
                .toList();
    }

    private static String privilegedInitContainer() throws IOException {
        return Reviews.rejected()
                .replace(
                        "\"containers\": [",
                        "\"containers\": [{\"name\": \"c\", \"image\": \"i\"}], \"initContainers\": [");
    }

    @Test
    void oneReplicaLeadsAtATimeAndStoresSignedModules() throws Exception {
        var lease = cluster.client().leases().inNamespace(cluster.namespace()).withName("policy-server-" + server);
        var metricsOfOne = new Metrics();
        var metricsOfTwo = new Metrics();
        var first = create(1, "good:v1", "{}");
        try (var two = startedAfter(first, metricsOfOne, metricsOfTwo)) {
            // The first replica has ended.
            var second = create(2, "good:v1", "{\"skip_init_containers\": true}");
            var object = awaitConditions(second, "Scheduled-1=PolicyScheduled", "Initialized-1=PolicyInitialized");

            assertThat(new ObservedRevision(object).status().leader())
                    .returns(podName(1), each -> each.identity())
                    .returns(2L, each -> each.term());
            assertThat(lease.get().getSpec().getHolderIdentity()).isEqualTo(podName(1));
            assertThat(two.failure()).isNotDone();
        }
    }

    /** Lets replica 0 lead and initialise a revision, starts replica 1, and ends replica 0. */
    private PolicyServerProgram startedAfter(
            Resource<PolicyRevision> revision, Metrics metricsOfOne, Metrics metricsOfTwo) throws Exception {
        try (var _ = replica(0, metricsOfOne)) {
            var object = awaitConditions(revision, "Initialized-1=PolicyInitialized");
            assertThat(new ObservedRevision(object).status().leader())
                    .returns(podName(0), each -> each.identity())
                    .returns(1L, each -> each.term());
            assertThat(cachedFiles())
                    .anyMatch(name -> name.equals("original.wasm"))
                    .anyMatch(name -> name.equals("original.wasm.sig"))
                    .anyMatch(name -> name.matches("optimized-.*\\.bin"))
                    .anyMatch(name -> name.matches("optimized-.*\\.bin\\.sig"));

            var two = replica(1, metricsOfTwo);
            awaitConditions(revision, "Ready1=PolicyReady");
            assertThat(PrometheusText.render(metricsOfOne)).contains("kubewarden_leader 1");
            assertThat(PrometheusText.render(metricsOfTwo)).contains("kubewarden_leader 0");
            return two;
        }
    }

    private List<String> cachedFiles() throws IOException {
        try (var files = Files.walk(directory.resolve("cache"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void aNewReplicaThatCannotLoadAnActiveRevisionExitsAndIsNeverReady() throws Exception {
        var revision = create(1, "good:v1", "{}");
        try (var _ = replica(0)) {
            awaitConditions(revision, "Ready0=PolicyReady");
        }
        setFlags(revision, true, true);
        registry.program().kill();
        var readiness = FreePort.find();
        var wasReady = new AtomicBoolean();
        try (var process = replicaProcess(1, directory.resolve("empty-cache"), readiness)) {
            await().atMost(TIMEOUT).until(() -> {
                wasReady.compareAndSet(false, isReady(readiness));
                return !process.isAlive();
            });

            assertThat(process.awaitExit(TIMEOUT)).as(process.output()).isEqualTo(1);
            assertThat(process.output()).contains("kw.cap.p" + server);
            assertThat(wasReady).isFalse();
            awaitConditions(revision, "Ready1=BootstrapLoadError");
        }
    }

    private static boolean isReady(int port) {
        try {
            return new RawHttp(port).get("/readiness").status() == 200;
        } catch (IOException e) {
            return false; // The process does not listen yet, or no more.
        }
    }

    private static void assertEvidence(RawHttp http, PolicyRevision revision) throws IOException {
        assertThat(http.get(Evidence.PATH).status()).isEqualTo(401);
        assertThat(served(http, "", "wrong").status()).isEqualTo(401);
        var id = revision.getSpec().policyID();
        assertThat(evidence(http, "").proves(revision)).isTrue();
        assertThat(evidence(http, "?policy=another&policy=" + id).proves(revision))
                .isTrue();
        assertThat(evidence(http, "?policy=another").policies()).isEmpty();
        assertThat(served(http, "?policy=" + id, "wrong").status()).isEqualTo(401);
        var digest = evidence(http, "").digest();
        assertThat(served(http, "", "open sesame\r\nIf-None-Match: \"" + digest + "\"")
                        .status())
                .isEqualTo(304);
        assertThat(served(http, "", "open sesame\r\nIf-None-Match: \"another\"").status())
                .isEqualTo(200);
        assertThat(served(http, "", "wrong\r\nIf-None-Match: \"" + digest + "\"")
                        .status())
                .isEqualTo(401);
    }

    private static Evidence evidence(RawHttp http, String query) throws IOException {
        var answer = served(http, query, "open sesame");
        assertThat(answer.status()).isEqualTo(200);
        return Evidence.read(answer.body().getBytes(StandardCharsets.UTF_8));
    }

    private static RawHttp.Answer served(RawHttp http, String query, String token) throws IOException {
        return http.send(
                "GET /served" + query + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " + token
                        + "\r\n\r\n",
                new byte[0]);
    }

    /** The replica that starts later would find the Lease taken, and the revision initialised by another pod. */
    @Test
    void aStandaloneServerTakesNoLeaseAndLeavesRevisionsAlone() throws Exception {
        var revision = create(1, "good:v1", "{}");
        Files.writeString(
                directory.resolve("policies.yml"),
                "file: {module: "
                        + POLICIES.resolve("privileged-pods/policy.wasm")
                                .toAbsolutePath()
                                .normalize()
                                .toUri()
                        + "}\n");
        try (var standalone = replica(0, "--standalone")) {
            await().atMost(TIMEOUT).until(standalone::isReady);
            var http = new RawHttp(standalone.apiPort());
            assertThat(http.post("/validate/file", Reviews.rejected()).body()).contains("\"allowed\":false");
            assertThat(http.get(Evidence.PATH).status()).isEqualTo(404);
            try (var _ = replica(1)) {
                var object = awaitConditions(revision, "Initialized-1=PolicyInitialized", "Ready1=PolicyReady");

                assertThat(new ObservedRevision(object).term()).isEqualTo(1);
                assertThat(conditions(object)).doesNotContain("Ready0=PolicyReady");
                assertThat(leader()).endsWith("-1");
            }
            assertThat(http.post(path(1), Reviews.allowed()).status()).isEqualTo(404);
        }
    }

    /** As after an upgrade to another engine: the compiled form does not fit, the original stays, and the registry is not needed. */
    @Test
    void aReplicaThatDoesNotLeadCompilesTheCachedOriginal() throws Exception {
        var revision = create(1, "good:v1", "{}");
        try (var _ = replica(0)) {
            awaitConditions(revision, "Ready0=PolicyReady");
            var compiled = cached("optimized-");
            assertThat(compiled).isNotEmpty();
            for (var file : compiled) {
                Files.delete(file);
            }
            registry.program().kill();

            try (var _ = replica(1)) {
                awaitConditions(revision, "Ready1=PolicyReady");
                assertThat(leader()).isEqualTo("policy-server-" + server + "-0");
                assertThat(cached("optimized-")).isEqualTo(compiled);
                assertThat(cached("original")).isNotEmpty();
            }
        }
    }

    private String leader() {
        return cluster.client()
                .leases()
                .inNamespace(cluster.namespace())
                .withName("policy-server-" + server)
                .get()
                .getSpec()
                .getHolderIdentity();
    }

    private List<Path> cached(String prefix) throws IOException {
        try (var files = Files.walk(directory.resolve("cache"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void reportsTheCauseOfABrokenPolicyAndServesTheOthers() throws Exception {
        try (var one = replica(0)) {
            var broken = create(1, "broken:v1", "{}");
            var missing = create(2, "missing:v1", "{}");
            awaitConditions(broken, "Initialized-1=UnsupportedPolicy");
            var object = awaitConditions(missing, "Initialized-1=PullError");
            assertThat(new ObservedRevision(object).status().conditions())
                    .filteredOn(each -> each.type().equals("Initialized"))
                    .allSatisfy(
                            each -> assertThat(each.message()).startsWith("Cannot pull the policy from the registry."));
            await().atMost(TIMEOUT).until(one::isReady);

            push("missing:v1", POLICIES.resolve("privileged-pods/policy.wasm"));
            awaitConditions(missing, "Ready0=PolicyReady");
        }
    }

    @Test
    void rebuildsATamperedCacheAndExitsWhenAnActiveRevisionCannotLoad() throws Exception {
        var revision = create(1, "good:v1", "{}");
        try (var _ = replica(0)) {
            awaitConditions(revision, "Ready0=PolicyReady");
        }
        setFlags(revision, true, true);
        tamper();
        try (var again = replica(0)) {
            await().atMost(TIMEOUT).until(again::isReady);
            await().atMost(TIMEOUT)
                    .untilAsserted(
                            () -> assertThat(cluster.eventReasons(server)).contains("CacheTampered", "LeaderElected"));
        }
        tamper();
        registry.program().kill();
        try (var doomed = replica(0)) {
            await().atMost(TIMEOUT).until(() -> doomed.failure().isCompletedExceptionally());
            assertThat(doomed.isReady()).isFalse();
            awaitConditions(revision, "Ready0=BootstrapLoadError");
        }
    }

    @Test
    void startsWhenARevisionThatIsNotActiveFailsToLoad() throws Exception {
        push("other:v1", POLICIES.resolve("sleeping/policy.wasm"));
        var target = create(1, "good:v1", "{}");
        var broken = create(2, "other:v1", "{\"sleepMilliseconds\": 1}");
        try (var _ = replica(0)) {
            awaitConditions(target, "Ready0=PolicyReady");
            awaitConditions(broken, "Ready0=PolicyReady");
        }
        setFlags(target, true, true);
        tamper(String.join("", new ObservedRevision(broken.get()).digests().values()));
        registry.program().kill();
        try (var again = replica(0)) {
            awaitConditions(broken, "Ready0=CacheIntegrityError");
            await().atMost(TIMEOUT).until(again::isReady);
            assertThat(again.failure()).isNotDone();
            var http = new RawHttp(again.apiPort());
            assertThat(http.post(path(1), Reviews.rejected()).body()).contains("\"allowed\":false");
            assertThat(http.post(path(2), Reviews.allowed()).status()).isEqualTo(404);
        }
    }

    /** An account that may write the status of a revision could put another module of the same repository there. */
    @Test
    void doesNotLoadAForgedDigest() throws Exception {
        push("good:v2", POLICIES.resolve("sleeping/policy.wasm"));
        var revision = create(1, "good:v1", "{}");
        try (var _ = replica(0)) {
            var object = awaitConditions(revision, "Ready0=PolicyReady");
            assertThat(new ObservedRevision(object).statement()).isPresent();
        }
        var forged = Digest.sha256(Files.readAllBytes(POLICIES.resolve("sleeping/policy.wasm")));
        cluster.client()
                .resources(PolicyRevision.class)
                .inNamespace(cluster.namespace())
                .withName(revision.get().getMetadata().getName())
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"status\": {\"artifacts\": [{\"module\": \"%s/good:v1\", \"digest\": \"%s\", \"size\": 1}]}}"
                                .formatted(registry.host(), forged));
        try (var again = replica(0)) {
            var object = awaitConditions(revision, "Ready0=LoadError");
            assertThat(new ObservedRevision(object).ready(0).orElseThrow().message())
                    .contains("signature of the digests is not valid");
            var http = new RawHttp(again.apiPort());
            assertThat(http.post(path(1), Reviews.allowed()).status()).isEqualTo(404);
        }
    }

    /** Simulates a revision that a stale controller admitted. */
    @Test
    void checksTenancyRulesAgainBeforeFetchingAModule() throws Exception {
        var policyServer = new io.portcullis.api.policyserver.PolicyServer();
        policyServer.setMetadata(new ObjectMetaBuilder().withName(server).build());
        policyServer.setSpec((ObjectNode)
                JSON.readTree("{\"image\": \"i\", \"replicas\": 1, \"tenancy\": {\"moduleSources\": {\"registries\":"
                        + " [\"ghcr.io\"]}}}"));
        cluster.apply(policyServer);
        var revision = create(1, "good:v1", "{}");
        try (var _ = replica(0)) {
            var object = awaitConditions(revision, "Initialized-1=TenancyViolation");
            assertThat(new ObservedRevision(object).initialized().orElseThrow().message())
                    .contains("tenancy rule moduleSources.registries of PolicyServer " + server, "allowed: ghcr.io");
        }
    }

    private void tamper() throws IOException {
        tamper("");
    }

    /** @param digest the digest of the module whose files are changed; empty for all */
    private void tamper(String digest) throws IOException {
        try (var files = Files.walk(directory.resolve("cache"))) {
            for (var file : files.filter(each -> each.toString().endsWith(".wasm")
                            && each.toString().contains(digest.replace("sha256:", "")))
                    .toList()) {
                var bytes = Files.readAllBytes(file);
                bytes[bytes.length / 2] ^= 1;
                Files.write(file, bytes);
            }
        }
    }
}
