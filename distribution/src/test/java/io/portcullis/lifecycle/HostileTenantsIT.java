package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.readiness.Readiness;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.ReplicaReport;
import io.portcullis.api.policyserver.ReplicaReport.QuarantinedModule;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.hostile.HostileModules;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hostile tenant on a shared policy server, with everything real: pods with a limit of 512 MiB, two nodes, the chart's
 * roles and admission policies. After each test no policy server has restarted, and a neighbour's requests have all been
 * judged.
 */
@Tag("level3")
@NeedsTools("helm")
@RealCluster(level = Level.NODES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class HostileTenantsIT {

    private static final Logger log = LoggerFactory.getLogger(HostileTenantsIT.class);

    private static final Duration LIMIT = HelmInstallation.LIMIT;
    private static final String SERVER = "default";
    private static final String NEIGHBOUR = "neighbour";
    /** Another server, with rules for tenants. */
    private static final String RULED = "ruled";

    private static final int PARALLEL_REQUESTS = 8;

    private TestCluster cluster;
    private Policies policies;
    private HelmInstallation installation;
    private Tenant hostile;
    private Requests neighbour;
    private List<String> replicas;
    private Load load;

    /**
     * @param reason why it cannot be enforced; empty: it is enforced
     * @param answer what its requests get, if it is enforced
     */
    record HostileModule(String name, byte[] wasm, Optional<Reason> reason, Class<? extends Answer> answer) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<HostileModule> hostileModules() {
        return Stream.of(
                enforced("a-name-section-of-two-gigabytes", HostileModules.hugeNameSection(), Answer.Allowed.class),
                failing("a-memory-of-256-mib", HostileModules.largeMemory(4096), Reason.PRECOMPILATION_ERROR),
                failing("forty-memories", HostileModules.manyMemories(40, 900), Reason.PRECOMPILATION_ERROR),
                failing(
                        "one-function-that-is-expensive-to-compile",
                        HostileModules.expensiveToCompile(1, 1_000_000, 20_000),
                        Reason.PREPARATION_FAILED),
                failing(
                        "many-functions-that-are-expensive-to-compile",
                        HostileModules.expensiveToCompile(50, 60_000, 5_000),
                        Reason.PREPARATION_FAILED),
                enforced("endless-logging", HostileModules.endlessLogging(), Answer.Denied.class));
    }

    private static HostileModule enforced(String name, byte[] wasm, Class<? extends Answer> answer) {
        return new HostileModule(name, wasm, Optional.empty(), answer);
    }

    private static HostileModule failing(String name, byte[] wasm, Reason reason) {
        return new HostileModule(name, wasm, Optional.of(reason), Answer.class);
    }

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path directory) {
        cluster = testCluster;
        policies = new Policies(cluster.client());
        var watched = cluster.namespace() + "-neighbour";
        installation = HelmInstallation.prepare(cluster, directory, watched, "controller", "policy-server");
        installation.installOwnController("webhookDrainSeconds=3");
        cluster.client().resource(server(SERVER, 2)).create();
        var ruled = server(RULED, 1);
        ruled.getSpec().set("tenancy", Serialization.unmarshal("""
                ---
                {maxPoliciesPerNamespace: 1, moduleSources: {registries: ["%s"]}}
                """.formatted(installation.host()), ObjectNode.class));
        cluster.client().resource(ruled).create();
        cluster.client()
                .resource(Policies.patient(
                        Policies.privilegedPods(NEIGHBOUR, SERVER, installation.module(), "neighbour", watched)))
                .create();
        neighbour = new Requests(cluster.client(), watched);
        installation.secure(cluster.namespace() + "-hostile", "privileged");
        hostile = Tenant.create(cluster, cluster.namespace() + "-hostile");
        cluster.await(policies.get(NEIGHBOUR), Stage::isEnforced, LIMIT);
        await("the replicas to report their limit")
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(reports())
                        .extracting(ReplicaReport::memoryLimit)
                        .containsExactly("512Mi", "512Mi"));
        await("the replicas")
                .atMost(LIMIT)
                .until(() -> installation.replicas().stream()
                                .filter(Readiness::isPodReady)
                                .count()
                        == 3);
        replicas = replicas();
    }

    private PolicyServer server(String name, int count) {
        var server = Policies.server(name, count, installation.host());
        server.getSpec().putObject("limits").put("memory", "512Mi");
        return server;
    }

    /** Of all policy servers. */
    private List<String> replicas() {
        return installation.replicas().stream()
                .map(pod -> pod.getMetadata().getUid())
                .toList();
    }

    private List<ReplicaReport> reports() {
        return Optional.ofNullable(cluster.client()
                        .resources(PolicyServer.class)
                        .withName(SERVER)
                        .get()
                        .getStatus())
                .flatMap(status -> Optional.ofNullable(status.replicaReports()))
                .orElse(List.of());
    }

    @BeforeEach
    void startRequestsOfTheNeighbour() {
        load = Load.start(neighbour, 10);
    }

    @AfterEach
    void theNeighbourNoticedNothing() throws InterruptedException {
        try {
            hostile.removePolicies();
            await("the hostile policies to go")
                    .atMost(LIMIT)
                    .until(() -> hostile.policies().isEmpty());
        } finally {
            assertThat(load.finish()).as("requests of the neighbour").isEmpty();
        }
        assertThat(replicas()).isEqualTo(replicas);
        assertThat(installation.restarts()).isZero();
    }

    @AfterAll
    void uninstall() {
        try (var installed = installation;
                var _ = hostile) {
            installed.uninstallController();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostileModules")
    void aHostileModuleHurtsOnlyItsTenant(HostileModule module) throws InterruptedException {
        var begun = System.nanoTime();
        hostile.create(module.name(), SERVER, serve(module.name(), module.wasm()), "hostile");

        var settled = awaitHostile(
                module.name(),
                policy -> Stage.isEnforced(policy) || failure(policy).isPresent());

        printTime(module.name(), settled, begun);
        assertThat(failure(settled).map(Condition::reason))
                .isEqualTo(module.reason().map(Reason::wireName));
        if (module.reason().isEmpty()) {
            assertThat(requestsOfTheTenant()).hasSize(PARALLEL_REQUESTS).hasOnlyElementsOfType(module.answer());
        }
    }

    private List<Answer> requestsOfTheTenant() throws InterruptedException {
        var requests = hostile.requests().once();
        var answers = new ArrayList<Answer>();
        var threads = new ArrayList<Thread>();
        for (var i = 0; i < PARALLEL_REQUESTS; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                var answer = requests.ordinaryPod();
                synchronized (answers) {
                    answers.add(answer);
                }
            }));
        }
        for (var thread : threads) {
            thread.join();
        }
        requests.client().close();
        return answers;
    }

    @Test
    void theGenerationBeforeABadUpdateStaysEnforced() {
        hostile.create("updated", SERVER, installation.module(), "first");
        var good = awaitHostile("updated", Stage::isEnforced);

        var begun = System.nanoTime();
        var bomb = serve("bad-update", HostileModules.expensiveToCompile(40, 60_000, 5_000));
        hostile.edit("updated", spec -> spec.put("module", bomb).put("message", "second"));

        var failed = awaitHostile("updated", policy -> failure(policy).isPresent());
        printTime("a bad update", failed, begun);
        assertThat(failure(failed).orElseThrow())
                .returns(Reason.PREPARATION_FAILED.wireName(), Condition::reason)
                .returns(good.getMetadata().getGeneration() + 1, Condition::generation);
        assertThat(Stage.status(failed).activeGeneration())
                .isEqualTo(good.getMetadata().getGeneration());
        assertThat(hostile.requests().privilegedPod())
                .isInstanceOfSatisfying(
                        Answer.Denied.class,
                        denied -> assertThat(denied.message()).contains("first"));
    }

    /** A released module that a policy still uses is tried again, and quarantined again; so the policy changes first. */
    @Test
    void anOperatorSeesAndReleasesAQuarantinedModule() {
        var wasm = HostileModules.expensiveToCompile(30, 60_000, 5_000);
        var digest = Digest.sha256(wasm);
        var begun = System.nanoTime();
        hostile.create("quarantined", SERVER, serve("quarantined", wasm), "hostile");

        var quarantined = new ArrayList<QuarantinedModule>();
        await("the report of the module").atMost(LIMIT).until(() -> {
            quarantined.addAll(quarantined(digest));
            return !quarantined.isEmpty();
        });
        print("quarantine in the status of the server", quarantined.getFirst().reason(), begun);
        assertThat(quarantined.getFirst().reason()).contains("MiB to be prepared", "--preparation-memory");
        assertThat(kwctlStatus("quarantined"))
                .contains(
                        "PreparationFailed",
                        "quarantines " + digest + " until ",
                        "MiB to be prepared",
                        "kubectl annotate --overwrite policyserver NAME "
                                + PolicyServerNames.RELEASE_QUARANTINE_ANNOTATION + "=DIGEST");

        hostile.edit("quarantined", spec -> spec.put("module", installation.newModule()));
        Policies.edit(
                cluster.client().resources(PolicyServer.class).withName(SERVER),
                server -> server.getMetadata()
                        .getAnnotations()
                        .put(PolicyServerNames.RELEASE_QUARANTINE_ANNOTATION, digest));
        await("the release")
                .atMost(LIMIT)
                .until(() -> installation.replicas().stream()
                        .anyMatch(pod -> log(pod).contains("module released from quarantine")));
        awaitHostile("quarantined", Stage::isEnforced);
        assertThat(hostile.requests().privilegedPod()).isInstanceOf(Answer.Denied.class);
        await("the report of the release")
                .atMost(LIMIT)
                .until(() -> quarantined(digest).isEmpty());
    }

    private List<QuarantinedModule> quarantined(String digest) {
        return reports().stream()
                .flatMap(report -> report.quarantined().stream())
                .filter(module -> module.digest().equals(digest))
                .toList();
    }

    private String kwctlStatus(String policy) {
        return ShellCommand.of(
                        Checkout.current().program("kwctl").toString(),
                        "status",
                        "--kubeconfig",
                        cluster.local().kubeconfig().toString(),
                        "--namespace",
                        hostile.namespace(),
                        policy)
                .run();
    }

    private String log(Pod pod) {
        return cluster.client()
                .pods()
                .inNamespace(cluster.namespace())
                .withName(pod.getMetadata().getName())
                .getLog();
    }

    @Test
    void modulesFromFilesAreRefusedAlikeWhetherOrNotTheFileExists() {
        var refusals = Stream.of("file:///dev/zero", "file:///etc/passwd", "file:///no/such/file")
                .map(module -> refusal(() -> hostile.create("file", SERVER, module, "hostile")))
                .distinct()
                .toList();

        assertThat(refusals).singleElement().asString().contains("the tenancy rule moduleSources.schemes");
    }

    @Test
    void violationsOfTenancyRulesAreRefusedByTheirName() {
        assertThat(refusal(() -> hostile.create("foreign", RULED, "ghcr.io/policies/any:v1", "hostile")))
                .contains("the tenancy rule moduleSources.registries of PolicyServer " + RULED);
        hostile.create("only", RULED, installation.module(), "hostile");
        // The controller counts what its watch has seen.
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(
                                refusal(() -> hostile.create("one-more", RULED, installation.module(), "hostile")))
                        .contains("the tenancy rule maxPoliciesPerNamespace of PolicyServer " + RULED));
    }

    /** The whole text that the user sees. */
    private static String refusal(Runnable attempt) {
        var refused = catchThrowableOfType(KubernetesClientException.class, attempt::run);
        assertThat(refused).as("it should have been refused").isNotNull();
        assertThat(refused.getCode()).as(refused.getMessage()).isEqualTo(422);
        return String.valueOf(refused.getMessage());
    }

    /** With the token that the kubelet gave to a pod. */
    @Test
    void aPodOfOneServerCannotReportOnRevisionsOfAnother() throws IOException {
        cluster.client()
                .resource(
                        Policies.privilegedPods("of-another", RULED, installation.module(), "any", "no-such-namespace"))
                .create();
        var revision = awaitRevision("of-another");
        var pod = installation.replicas().stream()
                .filter(replica -> replica.getMetadata().getName().startsWith("policy-server-" + SERVER))
                .findFirst()
                .orElseThrow();
        var forged = """
                {"status": {"artifacts": [{"module": "%s", "digest": "sha256:%s", "size": 1}],
                            "leader": {"identity": "%s", "term": 9, "statement": "forged"}}}
                """.formatted(
                        installation.module(), "a".repeat(64), pod.getMetadata().getName());

        try (var server = Tenant.withToken(cluster, token(pod))) {
            var refused = catchThrowableOfType(
                    KubernetesClientException.class,
                    () -> server.resources(PolicyRevision.class)
                            .inNamespace(cluster.namespace())
                            .withName(revision)
                            .subresource("status")
                            .patch(PatchContext.of(PatchType.JSON_MERGE), forged));

            assertThat(refused).isNotNull();
            assertThat(refused.getCode()).isEqualTo(403);
            assertThat(refused.getMessage())
                    .contains("this revision belongs to PolicyServer " + RULED + "; the token is of pod "
                            + pod.getMetadata().getName());
        }
    }

    private String awaitRevision(String policy) {
        await("a revision").atMost(LIMIT).until(() -> revision(policy).isPresent());
        return revision(policy).orElseThrow();
    }

    private Optional<String> revision(String policy) {
        return cluster
                .client()
                .resources(PolicyRevision.class)
                .inNamespace(cluster.namespace())
                .list()
                .getItems()
                .stream()
                .filter(revision -> revision.getSpec().objectReference().name().equals(policy))
                .map(revision -> revision.getMetadata().getName())
                .findFirst();
    }

    private static String token(Pod pod) throws IOException {
        var process = HelmInstallation.container(pod).pid();
        return Files.readString(
                Path.of("/proc/" + process + "/root/var/run/secrets/kubernetes.io/serviceaccount/token"));
    }

    @Test
    void aServerThatNamesTheAccountOfTheControllerIsRefused() {
        var server = Policies.server("thief", 1, installation.host());
        server.getSpec().put("serviceAccountName", "kubewarden-controller");

        assertThat(refusal(() -> cluster.client().resource(server).create()))
                .contains("spec.serviceAccountName", "is the account of the controller");
    }

    private String serve(String name, byte[] wasm) {
        return installation.serve("/" + name + ".wasm", wasm);
    }

    private AdmissionPolicy awaitHostile(String name, Predicate<AdmissionPolicy> condition) {
        return cluster.await(
                hostile.policy(name), policy -> policy.getStatus() != null && condition.test(policy), LIMIT);
    }

    /** Why the latest generation cannot be enforced. */
    private static Optional<Condition> failure(AdmissionPolicy policy) {
        return Stage.status(policy).conditions().stream()
                .filter(condition ->
                        condition.generation() == policy.getMetadata().getGeneration())
                .filter(condition -> condition.type().equals(ConditionType.INITIALIZED.wireName())
                        || condition.type().equals(ConditionType.READY.wireName()))
                .filter(Condition::isFalse)
                .findFirst();
    }

    private static void printTime(String situation, AdmissionPolicy settled, long begun) {
        print(
                situation,
                failure(settled)
                        .map(condition -> condition.reason() + " (" + condition.message() + ")")
                        .orElse("enforced"),
                begun);
    }

    private static void print(String situation, String outcome, long begun) {
        log.info(
                "{}: after {} ms: {}",
                situation,
                Duration.ofNanos(System.nanoTime() - begun).toMillis(),
                outcome);
    }
}
