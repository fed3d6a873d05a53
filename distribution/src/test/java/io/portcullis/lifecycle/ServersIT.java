package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Two policy servers beside each other: what belongs to whom, and how policies and replicas come and go. */
@Tag("level1")
@Tag("alone")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class ServersIT {

    private static final String LEFT = "left";
    private static final String RIGHT = "right";
    private static final String POLICY = "of-the-left";
    private static final String OTHER = "of-the-right";
    /** Another name, because the left serves it for a while after it is gone. */
    private static final String MOVING = "moving";

    private static final String WATCHED = "servers-watched";
    private static final String QUIET = "servers-quiet";
    private static final String NOISY = "servers-noisy";

    private TestCluster cluster;
    private Stage stage;
    private Requests quiet;

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path directory) {
        cluster = testCluster;
        stage = Stage.open(cluster, directory, WATCHED, "webhookDrainSeconds=10");
        List.of(LEFT, RIGHT)
                .forEach(name -> stage.client().resource(server(name)).create());
        List.of(LEFT, RIGHT).forEach(name -> stage.awaitReady(name, 1));
        quiet = stage.namespace(QUIET);
        stage.client()
                .resource(
                        Policies.patient(Policies.privilegedPods(POLICY, LEFT, stage.module(), "left says no", QUIET)))
                .create();
    }

    private PolicyServer server(String name) {
        var server = Policies.server(name, 1, stage.installation().registry().host());
        server.getSpec().putObject("cache").put("mode", "Shared").put("claimName", "modules-" + name);
        return server;
    }

    @AfterEach
    void home() {
        List.of(OTHER, MOVING).forEach(stage::remove);
    }

    @AfterAll
    void uninstall() {
        stage.remove(POLICY);
        stage.removeServers(LEFT, RIGHT);
        stage.close();
    }

    @Test
    void eachServesOnlyItsOwnPolicies() {
        stage.create(OTHER, RIGHT, "right says no");
        stage.awaitPolicy(POLICY, Stage::isEnforced);
        stage.awaitEnforced(OTHER, 1);

        assertThat(served(LEFT)).contains("kw.cap." + POLICY).doesNotContain("kw.cap." + OTHER);
        assertThat(served(RIGHT)).contains("kw.cap." + OTHER).doesNotContain("kw.cap." + POLICY);
    }

    /** What the only replica of a server says of itself. */
    private String served(String server) {
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
        var address = stage.pods(server).getFirst().address();
        return ShellCommand.of(
                        "curl", "--silent", "--fail", "--insecure", "https://" + address + ":" + port + "/policies")
                .run();
    }

    @Test
    void aPolicyMovesToAnotherServerWithoutAGap() throws InterruptedException {
        stage.create(MOVING, RIGHT, "right says no");
        stage.awaitEnforced(MOVING, 1);
        var load = Load.start(stage.requests(), 10);

        stage.policies().edit(MOVING, spec -> spec.put("policyServer", LEFT));
        var moved = stage.awaitEnforced(MOVING, 2);

        assertThat(load.finish()).isEmpty();
        assertThat(Stage.status(moved).activePolicyServer()).isEqualTo(LEFT);
        assertThat(served(LEFT)).contains("kw.cap." + MOVING);
    }

    @Test
    void aServerThatIsDeletedAndMadeAnewBringsItsPoliciesBack() {
        stage.create(OTHER, RIGHT, "right says no");
        var before = stage.awaitEnforced(OTHER, 1);

        stage.removeServers(RIGHT);
        var waiting = stage.awaitPolicy(OTHER, policy -> Stage.status(policy).policyStatus() == PolicyState.SCHEDULED);
        assertThat(stage.webhook("kw.cap." + OTHER)).isNull();
        assertThat(waiting.getMetadata().getFinalizers()).isNullOrEmpty();

        stage.startServer(server(RIGHT));
        var back = stage.awaitEnforced(OTHER, 1);
        assertThat(back.getMetadata().getUid()).isEqualTo(before.getMetadata().getUid());
        assertThat(stage.webhookPath(OTHER)).endsWith("/1");
    }

    @Test
    void replicasComeAndGoWithoutALostRequest() throws InterruptedException {
        stage.create(OTHER, RIGHT, "right says no");
        var policy = stage.awaitEnforced(OTHER, 1);
        var load = Load.start(stage.requests(), 10);
        var registry = stage.installation().registry().program();
        registry.pause(); // new replicas find in the cache what they need
        try {
            scale(3);
            stage.awaitReady(RIGHT, 3);
            await().atMost(Stage.LIMIT).until(() -> readyReplicas(policy).equals(List.of(0, 1, 2)));
            stage.awaitEnforced(OTHER, 1);
        } finally {
            registry.resume();
        }
        scale(1);
        stage.awaitReady(RIGHT, 1);
        await().atMost(Stage.LIMIT).until(() -> readyReplicas(policy).equals(List.of(0)));
        stage.awaitEnforced(OTHER, 1);
        assertThat(load.finish()).isEmpty();
    }

    private List<Integer> readyReplicas(Policy policy) {
        return Objects.requireNonNull(stage.revision(policy, 1).getStatus()).conditions().stream()
                .filter(condition -> condition.type().equals(ConditionType.READY.wireName()) && condition.isTrue())
                .map(condition -> condition.replica())
                .sorted()
                .toList();
    }

    private void scale(int replicas) {
        stage.policies().editServer(RIGHT, spec -> spec.put("replicas", replicas));
    }

    @Test
    void aTenantThatOverloadsItsServerDoesNotDisturbTheOther() throws InterruptedException {
        var noisy = stage.namespace(NOISY).once();
        var sleeping = stage.installation().push("sleeping", "v1");
        var policy = Policies.privilegedPods(OTHER, RIGHT, sleeping, "too late", NOISY);
        policy.getSpec().putObject("settings").put("sleepMilliseconds", 60_000);
        stage.client().resource(policy).create();
        stage.awaitEnforced(OTHER, 1);
        stage.awaitPolicy(POLICY, Stage::isEnforced);
        var refused = new AtomicBoolean();
        var noise = IntStream.range(0, 20)
                .mapToObj(_ -> Thread.ofVirtual().start(() -> {
                    if (!(noisy.ordinaryPod() instanceof Answer.Allowed)) {
                        refused.set(true);
                    }
                }))
                .toList();

        var load = Load.start(quiet, 10);
        for (var thread : noise) {
            thread.join();
        }

        assertThat(load.finish()).isEmpty();
        assertThat(load.answered()).isGreaterThan(5);
        assertThat(refused).isTrue();
        noisy.client().close();
    }
}
