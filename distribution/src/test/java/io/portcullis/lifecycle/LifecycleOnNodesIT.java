package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.readiness.Readiness;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The most telling stories of the lifecycle with everything real: pods on two nodes, kubelets, Services. */
@Tag("level3")
@NeedsTools("helm")
@RealCluster(level = Level.NODES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class LifecycleOnNodesIT {

    private static final Duration LIMIT = HelmInstallation.LIMIT;
    private static final String SERVER = "default";
    private static final String POLICY = "on-nodes";
    private static final int SECOND_NODE = 2;

    private TestCluster cluster;
    private Policies policies;
    private Requests requests;
    private HelmInstallation installation;
    private Path files;

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path directory) {
        cluster = testCluster;
        files = directory;
        var watched = cluster.namespace() + "-watched";
        policies = new Policies(cluster.client());
        requests = new Requests(cluster.client(), watched);
        installation = HelmInstallation.prepare(cluster, directory, watched, "controller", "policy-server");
        installation.installOwnController();
        cluster.client()
                .resource(Policies.server(SERVER, 2, installation.host()))
                .create();
        cluster.client()
                .resource(Policies.patient(
                        Policies.privilegedPods(POLICY, SERVER, installation.module(), "first", watched)))
                .create();
    }

    @BeforeEach
    void allIsWell() {
        awaitEnforced();
    }

    @AfterAll
    void uninstall() {
        try (var installed = installation) {
            installed.uninstallController();
        }
    }

    @Test
    void updatesGoodAndBrokenAndRollbacksLoseNoRequest() throws InterruptedException {
        int restarts = installation.restarts();
        var load = Load.start(requests, 10);

        change("second");
        var good = awaitEnforced();
        breakSettings();
        var failed = awaitPolicy(policy -> Stage.status(policy).phase() == Phase.FAILED);
        assertThat(Stage.status(failed).activeGeneration())
                .isEqualTo(good.getMetadata().getGeneration());
        policies.rollBack(POLICY, Long.toString(good.getMetadata().getGeneration()));
        awaitPolicy(policy -> Stage.isEnforced(policy)
                && policy.getMetadata().getGeneration() > failed.getMetadata().getGeneration());

        assertThat(load.finish()).isEmpty();
        assertThat(installation.restarts()).isEqualTo(restarts);
    }

    @Test
    void aLeaderThatIsKilledWhileItInitialisesIsSucceededAndItsReplicaComesBack() {
        ProcessHandle process;
        var leader = leader();
        var killed = pod(leader).get();
        try (var held = installation.holdModules()) {
            policies.edit(
                    POLICY, spec -> spec.put("module", installation.newModule()).put("message", "after-the-leader"));
            await("the leader to ask for the module").atMost(LIMIT).until(held.asked()::isDone);
            process = HelmInstallation.container(killed);

            pod(leader).withGracePeriod(0).delete();
            await("the leader to end").atMost(LIMIT).until(() -> !process.isAlive());
        }

        cluster.await(
                pod(leader),
                pod -> !pod.getMetadata().getUid().equals(killed.getMetadata().getUid()) && Readiness.isPodReady(pod),
                LIMIT);
        awaitReplicas(2);
        assertThat(requests.privilegedPod())
                .isInstanceOfSatisfying(
                        Answer.Denied.class,
                        denied -> assertThat(denied.message()).contains("after-the-leader"));
    }

    @Test
    void replicasComeAndGoWithoutALostRequestAlsoFromOneAndBackToOne() throws InterruptedException {
        var load = Load.start(requests, 10);
        try {
            for (int replicas : List.of(1, 3, 1)) {
                scale(replicas);
                awaitReplicas(replicas);
            }
        } finally {
            scale(2);
        }
        awaitReplicas(2);

        assertThat(load.finish()).isEmpty();
    }

    @Test
    void anotherImageIsRolledOutWithoutALostRequest() throws InterruptedException {
        var image = installation.loadImage("policy-server", "next");
        var load = Load.start(requests, 10);

        policies.editServer(SERVER, spec -> spec.put("image", image));

        await("replicas of the new image")
                .atMost(LIMIT)
                .until(() -> installation.replicas().size() == 2
                        && installation.replicas().stream()
                                .allMatch(pod -> Readiness.isPodReady(pod) && runs(pod, image)));
        awaitReplicas(2);
        assertThat(load.finish()).isEmpty();
    }

    /** Each pod has a cache of its own, and gets the module from another one. */
    @Test
    void podsStartWithoutTheRegistry() throws InterruptedException {
        var image = installation.loadImage("policy-server", "without-registry");
        var deleted = pod(leader()).get();
        var name = deleted.getMetadata().getName();
        var load = Load.start(requests, 10);
        try (var registry = installation.holdModules()) {
            pod(name).delete();
            cluster.await(
                    pod(name),
                    pod -> !pod.getMetadata()
                                    .getUid()
                                    .equals(deleted.getMetadata().getUid())
                            && Readiness.isPodReady(pod),
                    LIMIT);
            awaitReplicas(2);

            scale(3);
            awaitReplicas(3);
            scale(2);
            awaitReplicas(2);

            policies.editServer(SERVER, spec -> spec.put("image", image));
            await("replicas of the new image")
                    .atMost(LIMIT)
                    .until(() -> installation.replicas().size() == 2
                            && installation.replicas().stream()
                                    .allMatch(pod -> Readiness.isPodReady(pod) && runs(pod, image)));
            awaitReplicas(2);

            assertThat(registry.asked()).as("a request for a module").isNotDone();
        } finally {
            scale(2);
        }
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        assertThat(load.finish()).isEmpty();
    }

    private static boolean runs(Pod pod, String image) {
        return pod.getSpec().getContainers().stream()
                .allMatch(container -> container.getImage().equals(image));
    }

    @Test
    void aServerThatIsDeletedTakesItsWebhooksAlongAndANewOneEnforcesAgain() {
        var server = cluster.client().resources(PolicyServer.class).withName(SERVER);
        server.delete();
        var scheduled = awaitPolicy(policy -> Stage.status(policy).policyStatus() == PolicyState.SCHEDULED);
        assertThat(Stage.status(scheduled).activeGeneration()).isZero();
        await("no webhook to be asked").atMost(LIMIT).until(() -> requests.privilegedPod() instanceof Answer.Allowed);
        await("server and pods to go")
                .atMost(LIMIT)
                .until(() -> server.get() == null && installation.replicas().isEmpty());

        cluster.client()
                .resource(Policies.server(SERVER, 2, installation.host()))
                .create();

        awaitReplicas(2);
        await().atMost(LIMIT).until(() -> requests.privilegedPod() instanceof Answer.Denied);
    }

    /** The container starts again in the same pod, whose cache is no longer what the leader signed. */
    @Test
    void aRestartedReplicaNeverExecutesAChangedCache() throws IOException {
        var pod = installation.replicas().getLast();
        int restarts = installation.restarts();
        for (var file : cachedModules(pod)) {
            var bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] = (byte) ~bytes[bytes.length / 2];
            Files.write(file, bytes);
        }

        assertThat(HelmInstallation.container(pod).destroyForcibly()).isTrue();

        await("the container to start again")
                .atMost(LIMIT)
                .until(() -> installation.restarts() > restarts
                        && installation.replicas().stream().allMatch(Readiness::isPodReady));
        awaitReplicas(2);
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        await("an Event")
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(cluster.eventReasons(SERVER)).contains("CacheTampered"));
    }

    /** On the node's disk. */
    private List<Path> cachedModules(Pod pod) throws IOException {
        var volume = cluster.local()
                .nodeDirectory(pod.getSpec().getNodeName())
                .resolve("kubelet/pods/" + pod.getMetadata().getUid() + "/volumes/kubernetes.io~empty-dir/cache");
        try (var files = Files.walk(volume)) {
            var found = files.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().endsWith(".sig")
                            && !file.toString().endsWith(".lock"))
                    .toList();
            assertThat(found).isNotEmpty();
            return found;
        }
    }

    @Test
    void everyCertificateIsReplacedUnderLoadAndNoRequestIsLost() throws InterruptedException {
        var certificates = new InstalledCertificates(cluster, SERVER, files);
        var load = Load.start(requests, 10);

        certificates.replaceAll(LIMIT);

        change("after-the-rotation");
        awaitEnforced();
        assertThat(load.finish()).isEmpty();
    }

    /** Its replica starts anew while a broken generation is in the cluster, and must serve the one that is enforced. */
    @Test
    void aNodeThatIsLostDuringAFailedUpdateDoesNotEndEnforcement() {
        assertThat(installation.replicas())
                .extracting(pod -> pod.getSpec().getNodeName())
                .as("replicas are spread over the nodes")
                .containsExactlyInAnyOrder("node1", "node2");
        breakSettings();
        var failed = awaitPolicy(policy -> Stage.status(policy).phase() == Phase.FAILED);
        int restarts = installation.restarts();

        cluster.local().stopNode(SECOND_NODE);
        try {
            await().atMost(LIMIT).until(() -> requests.privilegedPod() instanceof Answer.Denied);
        } finally {
            cluster.local().startNode(SECOND_NODE);
        }
        await("the replica of the lost node")
                .atMost(LIMIT)
                .until(() -> installation.restarts() > restarts
                        && installation.replicas().stream().allMatch(Readiness::isPodReady));

        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        var still = awaitPolicy(policy -> Stage.status(policy).phase() == Phase.FAILED);
        assertThat(Stage.status(still).activeGeneration())
                .isEqualTo(Stage.status(failed).activeGeneration())
                .isPositive();
        change("mended");
        awaitEnforced();
    }

    private void change(String message) {
        policies.edit(POLICY, spec -> {
            spec.put("message", message);
            spec.putObject("settings");
        });
    }

    private void breakSettings() {
        policies.edit(POLICY, spec -> spec.putObject("settings").put("no_such_setting", true));
    }

    private void scale(int replicas) {
        policies.editServer(SERVER, spec -> spec.put("replicas", replicas));
    }

    /** As many report that they have the policy, no more and no fewer, and it is enforced. */
    private void awaitReplicas(int replicas) {
        awaitPolicy(policy -> Stage.isEnforced(policy)
                && Stage.status(policy).conditions().stream()
                                .filter(condition -> condition.type().equals(ConditionType.READY.wireName()))
                                .count()
                        == replicas);
    }

    private ClusterAdmissionPolicy awaitEnforced() {
        return awaitPolicy(Stage::isEnforced);
    }

    private ClusterAdmissionPolicy awaitPolicy(Predicate<ClusterAdmissionPolicy> condition) {
        return cluster.await(
                policies.get(POLICY), policy -> policy.getStatus() != null && condition.test(policy), LIMIT);
    }

    private String leader() {
        return cluster.client()
                .leases()
                .inNamespace(cluster.namespace())
                .withName("policy-server-" + SERVER)
                .get()
                .getSpec()
                .getHolderIdentity();
    }

    private PodResource pod(String name) {
        return cluster.client().pods().inNamespace(cluster.namespace()).withName(name);
    }
}
