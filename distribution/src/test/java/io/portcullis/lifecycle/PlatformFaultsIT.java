package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.LocalCluster.Daemon;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.fault.SmallDisk;
import io.portcullis.testkit.hostpods.HostPod;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Faults of the platform below Portcullis: a full volume, a control plane that restarts, a history that the API server has
 * dropped. Two controllers, a server with two replicas, and a server whose cache is on a small file system.
 */
@Tag("level1")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class PlatformFaultsIT {

    private static final String SERVER = "platform";
    private static final String SMALL = "small-disk";
    private static final String POLICY = "platform-policy";
    private static final String OTHER = "platform-other";
    private static final String THIRD = "platform-third";
    private static final int DISK_KILOBYTES = 16 << 10;
    /** Enough for several small policies, too little for one that is written in Go. */
    private static final String COMPILED_CODE_MEMORY = "6Mi";

    private TestCluster cluster;
    private Stage stage;
    private Controllers controllers;
    private SmallDisk disk;

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path directory) throws IOException {
        cluster = testCluster;
        disk = SmallDisk.mount(Files.createDirectories(directory.resolve("pods/claims/small")), DISK_KILOBYTES);
        stage = Stage.open(
                cluster,
                directory,
                cluster.namespace() + "-watched",
                "webhookDrainSeconds=5",
                "replicaGraceSeconds=60");
        controllers = Controllers.of(stage.installation());
        var registry = stage.installation().registry().host();
        var small = Policies.server(SMALL, 1, registry);
        small.getSpec().putObject("cache").put("mode", "Shared").put("claimName", "small");
        small.getSpec()
                .putArray("env")
                .addObject()
                .put("name", "KUBEWARDEN_COMPILED_CODE_MEMORY")
                .put("value", COMPILED_CODE_MEMORY);
        stage.client().resource(small).create();
        stage.startServer(Policies.server(SERVER, 2, registry));
        stage.awaitReady(SMALL, 1);
        await().atMost(Stage.LIMIT).until(controllers::areReady);
    }

    @AfterEach
    void removePolicies() {
        List.of(POLICY, OTHER, THIRD).forEach(stage::remove);
    }

    @AfterAll
    void uninstall() {
        try (var _ = disk;
                var _ = stage;
                var _ = controllers) {
            stage.removeServers(SERVER, SMALL);
        }
    }

    @Test
    void aFullCacheVolumeStopsNoServedPolicyAndNewOnesAreEnforcedWhenSpaceIsBack() throws InterruptedException {
        stage.create(POLICY, SMALL, "served");
        stage.awaitEnforced(POLICY, 1);
        var before = stage.restarts(SMALL);
        var pod = stage.pods(SMALL).getFirst();
        var late = stage.installation().pushVariant("privileged-pods", "late", 40);
        var tooLarge = stage.installation().push("go-namespace-labels", "v1");
        var load = Load.start(stage.requests(), 10);
        disk.fill();
        try {
            stage.create(OTHER, SMALL, late, "late");
            var unwritten = awaitInitialized(OTHER, "CacheWriteError");
            assertThat(unwritten.message()).contains("No space left on device");
            // Quarantined, though the list of quarantined modules cannot be written either.
            stage.create(THIRD, SMALL, tooLarge, "too large");
            var unprepared = awaitInitialized(THIRD, "PreparationFailed");
            assertThat(unprepared.message()).contains("is quarantined until");
            assertThat(pod.output()).contains("quarantine file is not written");

            assertThat(load.finish()).isEmpty();
            assertThat(pod.isReady()).isTrue();
            assertThat(stage.restarts(SMALL)).isEqualTo(before);

            // A replica that starts now finds in the cache what it served before.
            pod.kill();
            await().atMost(Stage.LIMIT).until(() -> !pod.isReady());
            await().atMost(Stage.LIMIT).until(pod::isReady);
            assertThat(stage.requests().privilegedPod()).isInstanceOf(Answer.Denied.class);
        } finally {
            disk.relieve();
        }

        stage.awaitEnforced(OTHER, 1);
        assertThat(stage.restarts(SMALL)).as("only the restart by this test").isEqualTo(before + 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"ETCD", "API_SERVER"})
    void servedPoliciesAnswerWhileTheControlPlaneIsDownAndARolloutCompletesAfterwards(Daemon daemon)
            throws InterruptedException {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        var served = stage.webhookPath(POLICY);
        var before = stage.restarts(SERVER);
        int variant = daemon == Daemon.ETCD ? 50 : 51;
        var module = stage.installation().pushVariant("privileged-pods", "during-" + variant, variant);
        var registry = stage.installation().registry().program();
        var loads = stage.pods(SERVER).stream()
                .map(pod -> Load.start(ask(pod, SERVER, served), 10))
                .toList();

        registry.pause();
        try {
            stage.policies().edit(POLICY, spec -> spec.put("message", "second").put("module", module));
            await().atMost(Stage.LIMIT).until(() -> initialization(POLICY, 2).isPresent());
            cluster.local().stop(daemon);
        } finally {
            registry.resume();
        }
        try {
            var answered = loads.stream().mapToInt(Load::answered).sum();
            await().atMost(Stage.LIMIT)
                    .until(() -> loads.stream().mapToInt(Load::answered).sum() > answered + 60);
            assertThat(stage.pods(SERVER)).allMatch(HostPod::isReady);
        } finally {
            cluster.local().start(daemon);
        }
        for (var load : loads) {
            assertThat(load.finish()).isEmpty();
        }

        stage.awaitEnforced(POLICY, 2);
        assertThat(stage.webhookPath(POLICY)).endsWith("/2");
        assertThat(stage.requests().privilegedPod())
                .isInstanceOfSatisfying(
                        Answer.Denied.class,
                        denied -> assertThat(denied.message()).contains("second"));
        assertThat(stage.restarts(SERVER)).isEqualTo(before);
    }

    @Test
    void aReplicaAndAControllerThatMissedChangesWhichTheApiServerHasForgottenSeeThem()
            throws IOException, InterruptedException {
        stage.create(POLICY, SERVER, "first");
        stage.create(OTHER, SERVER, "to be deleted");
        stage.awaitEnforced(POLICY, 1);
        var deleted = stage.awaitEnforced(OTHER, 1);
        await().atMost(Stage.LIMIT).until(controllers::areReady);
        var before = stage.restarts(SERVER);
        var replica = stage.pods(SERVER).getLast();
        var leader = controllers.leader();
        var standby = controllers.get(leader == controllers.get(0) ? 1 : 0);
        var process = standby.program().pid();
        var lastSeen = revisionsVersion();

        replica.line().cut();
        cut(standby);
        try {
            cluster.local().stop(Daemon.API_SERVER);
            cluster.local().start(Daemon.API_SERVER);
            change("second");
            stage.remove(OTHER);
            await("the revisions of the deleted policy are gone")
                    .atMost(Stage.LIMIT)
                    .until(() -> stage.revisions(deleted).isEmpty());
            await().atMost(Stage.LIMIT).until(() -> initialization(POLICY, 2).isPresent());
            cluster.local().compactEtcd();
            assertThat(watchFrom(lastSeen)).contains("\"code\":410");
            try (var asked = ask(replica, SERVER, "/")) {
                assertThat(asked.policies()).contains("kw.cap." + OTHER);
            }
        } finally {
            replica.line().mend();
            mend(standby);
        }

        stage.awaitEnforced(POLICY, 2);
        try (var asked = ask(replica, SERVER, "/")) {
            await("the replica unloads what was deleted during the gap")
                    .atMost(Stage.LIMIT)
                    .until(() -> !asked.policies().contains("kw.cap." + OTHER));
        }
        // From now on only the controller that missed the changes can act.
        cut(leader);
        try {
            await().atMost(Stage.LIMIT).until(() -> controllers.leader() == standby);
            change("third");
            stage.awaitEnforced(POLICY, 3);
            assertThat(stage.webhook("kw.cap." + OTHER)).isNull();
            assertThat(stage.revisions(deleted)).isEmpty();
            assertThat(standby.program().pid())
                    .as("the process that missed the changes")
                    .isEqualTo(process);
        } finally {
            mend(leader);
        }
        assertThat(stage.restarts(SERVER)).isEqualTo(before);
        await().atMost(Stage.LIMIT).until(controllers::areReady);
    }

    /** As a user who tries again: a controller has a say in each change, and may be away for a moment. */
    private void change(String message) {
        await("a change is accepted")
                .atMost(Stage.LIMIT)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(() -> stage.policies().edit(POLICY, spec -> spec.put("message", message)), Objects::nonNull);
    }

    /** The Service leads elsewhere, as it does for a node that is cut off. */
    private void cut(ControllerPod controller) {
        stage.installation().lead(controller, false);
        controller.line().cut();
    }

    private void mend(ControllerPod controller) {
        controller.line().mend();
        stage.installation().lead(controller, controller.isReady());
    }

    private ReplicaRequests ask(HostPod pod, String server, String path) {
        var port = stage.client()
                .services()
                .inNamespace(cluster.namespace())
                .withName("policy-server-" + server)
                .get()
                .getSpec()
                .getPorts()
                .getFirst()
                .getTargetPort()
                .getIntVal();
        return new ReplicaRequests(URI.create("https://" + pod.address() + ":" + port), path);
    }

    /** The condition with which the leader of the first generation reports that it cannot be initialised. */
    private Condition awaitInitialized(String policy, String reason) {
        await(policy + " reports " + reason)
                .atMost(Stage.LIMIT)
                .until(() -> initialization(policy, 1)
                        .filter(condition -> condition.reason().equals(reason))
                        .isPresent());
        return initialization(policy, 1).orElseThrow();
    }

    /** What the leader last reported about a generation: that it works on it, or what came of it. */
    private Optional<Condition> initialization(String policy, long generation) {
        return stage
                .revisions(Objects.requireNonNull(stage.policies().get(policy).get()))
                .stream()
                .filter(revision -> revision.getSpec().policyGeneration() == generation && revision.getStatus() != null)
                .flatMap(revision -> Objects.requireNonNull(revision.getStatus()).conditions().stream())
                .filter(condition -> condition.replica() == Condition.NO_REPLICA)
                .reduce((one, two) -> two.type().equals("Initialized") ? two : one);
    }

    private String revisionsVersion() {
        return stage.client()
                .resources(PolicyRevision.class)
                .inNamespace(cluster.namespace())
                .list()
                .getMetadata()
                .getResourceVersion();
    }

    /** What the API server answers to a watch that goes on from a version. */
    private String watchFrom(String version) {
        var path = "/apis/" + HasMetadata.getApiVersion(PolicyRevision.class) + "/namespaces/" + cluster.namespace()
                + "/" + HasMetadata.getPlural(PolicyRevision.class) + "?watch=true&timeoutSeconds=5&resourceVersion="
                + version;
        return String.valueOf(stage.client().raw(path));
    }
}
