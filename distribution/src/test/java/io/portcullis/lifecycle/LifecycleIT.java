package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.hostpods.HostPod;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The lifecycle of a policy with the real controller, two real replicas and a real API server that calls them. */
@Tag("level1")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class LifecycleIT {

    private static final String SERVER = "default";
    private static final String POLICY = "no-privileged-pods";
    private static final String OTHER_POLICY = "no-privileged-pods-either";
    /** Where the pods of this test are asked for. */
    private static final String WATCHED = "lifecycle-watched";

    private Stage stage;
    private Policies policies;
    private Requests requests;

    @BeforeAll
    void install(TestCluster cluster, @TempDir Path directory) {
        stage = Stage.open(cluster, directory, WATCHED);
        policies = stage.policies();
        requests = stage.requests();
        stage.startServer(
                Policies.server(SERVER, 2, stage.installation().registry().host()));
    }

    @AfterEach
    void removePolicies() {
        stage.remove(POLICY);
    }

    @AfterAll
    void uninstall() {
        stage.removeServers(SERVER);
        stage.close();
    }

    @Test
    void aNewPolicyIsProvedOnEveryReplicaAndThenEnforced() {
        var before = processes();
        create("first");

        var active = awaitStatus(Stage::isEnforced);

        assertThat(requests.privilegedPod())
                .isInstanceOfSatisfying(
                        Answer.Denied.class,
                        denied -> assertThat(denied.message()).contains("first"));
        assertThat(requests.ordinaryPod()).isEqualTo(new Answer.Allowed());
        assertThat(Stage.status(active).conditions())
                .filteredOn(condition -> condition.type().equals(ConditionType.READY.wireName()))
                .hasSize(2)
                .allMatch(condition -> condition.isTrue() && condition.generation() == 1);
        assertThat(webhookPath()).endsWith("/1");
        assertThat(processes()).isEqualTo(before);
        assertInitialisedByTheLeader(active, 1);
        assertThat(stage.client().configMaps().inAnyNamespace().list().getItems())
                .extracting(map -> String.valueOf(map.getData()))
                .noneMatch(data -> data.contains(POLICY) || data.contains(stage.module()));
    }

    /** The replica that holds the Lease reported Scheduled and Initialized of the revision. */
    private void assertInitialisedByTheLeader(ClusterAdmissionPolicy policy, long generation) {
        var status = stage.revision(policy, generation).statusOrEmpty();
        var holder = stage.client()
                .leases()
                .withName("policy-server-" + SERVER)
                .require()
                .getSpec()
                .getHolderIdentity();
        assertThat(stage.pods(SERVER)).extracting(HostPod::name).contains(holder);
        assertThat(status.leader()).returns(holder, leader -> leader.identity());
        assertThat(status.conditions())
                .filteredOn(condition -> condition.replica() < 0)
                .extracting(condition -> condition.type() + "=" + condition.reason() + " " + condition.generation())
                .containsExactlyInAnyOrder(
                        "Scheduled=PolicyScheduled " + generation, "Initialized=PolicyInitialized " + generation);
    }

    @Test
    void anUpdateUnderLoadLosesNoRequest() throws InterruptedException {
        var before = processes();
        create("first");
        awaitStatus(Stage::isEnforced);
        var load = Load.start(requests, 20);

        for (int change = 2; change <= 4; change++) {
            var message = "change-" + change;
            long generation = policies.edit(POLICY, spec -> spec.put("message", message))
                    .getMetadata()
                    .getGeneration();
            var updated = awaitStatus(policy -> Stage.isEnforced(policy)
                    && generation == policy.getMetadata().getGeneration());
            assertInitialisedByTheLeader(updated, generation);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> requests.privilegedPod() instanceof Answer.Denied denied
                            && denied.message().contains(message));
        }

        assertThat(load.finish()).isEmpty();
        assertThat(load.answered()).isPositive();
        assertThat(processes()).isEqualTo(before);
    }

    @Test
    void aBrokenUpdateIsShownWhileTheOldGenerationGoesOnRefusing() {
        create("first");
        awaitStatus(Stage::isEnforced);

        policies.edit(POLICY, spec -> spec.set("settings", object(node -> node.put("no_such_setting", true))));

        var failed = awaitStatus(policy -> Stage.status(policy).phase() == Phase.FAILED);
        assertThat(Stage.status(failed).condition(ConditionType.ACCEPTED))
                .hasValueSatisfying(accepted -> assertThat(accepted.reason()).isEqualTo("Invalid"));
        assertThat(Stage.status(failed).condition(ConditionType.ENFORCED))
                .hasValueSatisfying(enforced -> assertThat(enforced.reason()).isEqualTo("PartiallyEnforced"));
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        assertThat(webhookPath()).endsWith("/1");

        policies.rollBack(POLICY, "1");
        var back = awaitStatus(
                policy -> Stage.isEnforced(policy) && policy.getMetadata().getGeneration() == 3);
        assertThat(back.getSpec().path("settings").has("no_such_setting")).isFalse();
        assertThat(back.getMetadata().getAnnotations()).doesNotContainKey(PolicyNames.ROLLBACK_TO);
    }

    @Test
    void aModuleThatCannotBePulledFailsWithTheCauseAndOthersGoOn() {
        create("first");
        awaitStatus(Stage::isEnforced);

        policies.edit(POLICY, spec -> spec.put("module", stage.module().replace(":v1", ":missing")));

        var failed = awaitStatus(policy -> Stage.status(policy).phase() == Phase.FAILED);
        assertThat(Stage.status(failed).conditions())
                .filteredOn(condition ->
                        condition.type().equals(ConditionType.INITIALIZED.wireName()) && condition.generation() == 2)
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.reason()).isEqualTo("PullError");
                    assertThat(condition.message()).startsWith("Cannot pull the policy from the registry.");
                });
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        try {
            stage.create(OTHER_POLICY, SERVER, "another");
            stage.awaitEnforced(OTHER_POLICY, 1);
            policies.edit(OTHER_POLICY, spec -> spec.put("message", "yet another"));
            stage.awaitEnforced(OTHER_POLICY, 2);
        } finally {
            stage.remove(OTHER_POLICY);
        }
        assertThat(Stage.status(policies.get(POLICY).get()).phase()).isEqualTo(Phase.FAILED);
        stage.installation().push("privileged-pods", "missing");
        awaitStatus(policy -> Stage.isEnforced(policy) && policy.getMetadata().getGeneration() == 2);
    }

    @Test
    void aReplicaThatIsKilledComesBackAndNothingIsLost() {
        create("first");
        awaitStatus(Stage::isEnforced);

        stage.pods(SERVER).getFirst().kill();
        var restarting = awaitStatus(policy -> !Stage.isEnforced(policy));
        assertThat(Stage.status(restarting).phase())
                .as("a restart is not an update")
                .isNotEqualTo(Phase.UPDATING);
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);

        awaitStatus(Stage::isEnforced);
    }

    /** Each pod has a cache of its own. The registry accepts connections and never answers, which is worse than none. */
    @Test
    void replicasStartWithoutTheRegistry() throws IOException {
        create("first");
        awaitStatus(Stage::isEnforced);
        var registry = stage.installation().registry().program();
        registry.pause();
        try {
            restartWithAnEmptyCache(stage.pods(SERVER).getFirst());
            scale(3);
            assertThat(stage.pods(SERVER)).anyMatch(LifecycleIT::fetchedFromAnotherReplica);
            scale(2);
            policies.editServer(SERVER, spec -> spec.put("image", Installation.OTHER_ENGINE));
            awaitImage(Installation.OTHER_ENGINE);
            assertThat(stage.pods(SERVER)).allMatch(LifecycleIT::fetchedFromAnotherReplica);
            awaitStatus(Stage::isEnforced);
            assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        } finally {
            registry.resume();
        }
        policies.editServer(SERVER, spec -> spec.put("image", Installation.IMAGE));
        awaitImage(Installation.IMAGE);
    }

    private void restartWithAnEmptyCache(HostPod pod) throws IOException {
        pod.hold();
        try (var files = Files.walk(pod.volume("cache"))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
        await().atMost(Stage.LIMIT).until(() -> !pod.isReady());
        pod.release();
        await().atMost(Stage.LIMIT).until(pod::isReady);
        assertThat(fetchedFromAnotherReplica(pod)).isTrue();
    }

    private void scale(int replicas) {
        policies.editServer(SERVER, spec -> spec.put("replicas", replicas));
        stage.awaitReady(SERVER, replicas);
    }

    private void awaitImage(String image) {
        await("all replicas run " + image)
                .atMost(Stage.LIMIT)
                .until(() -> stage.pods(SERVER).stream()
                        .allMatch(pod -> pod.isReady() && pod.image().equals(image)));
    }

    private static boolean fetchedFromAnotherReplica(HostPod pod) {
        return pod.output().contains("module fetched from another replica");
    }

    @Test
    void aRestartedControllerGoesOnWhereTheOldOneEnded() {
        create("first");
        stage.installation().restartController();

        awaitStatus(Stage::isEnforced);
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
    }

    @Test
    void aDeletedPolicyIsGoneAtOnceAndItsRevisionsAfterTheDrain() {
        create("first");
        var enforced = awaitStatus(Stage::isEnforced);
        assertThat(stage.revisions(enforced)).isNotEmpty();

        policies.get(POLICY).delete();
        await().atMost(Duration.ofSeconds(10)).until(() -> policies.get(POLICY).get() == null);

        assertThat(requests.privilegedPod()).isEqualTo(new Answer.Allowed());
        await().atMost(Stage.LIMIT).until(() -> stage.revisions(enforced).isEmpty());
    }

    /** The pods and how often their containers were started again. A rollout replaces pods. */
    private Map<String, Integer> processes() {
        return stage.pods(SERVER).stream().collect(Collectors.toMap(HostPod::uid, HostPod::restarts));
    }

    private void create(String message) {
        stage.create(POLICY, SERVER, message);
    }

    private ClusterAdmissionPolicy awaitStatus(Predicate<ClusterAdmissionPolicy> condition) {
        return stage.awaitPolicy(POLICY, condition);
    }

    private String webhookPath() {
        return stage.webhookPath(POLICY);
    }

    private static ObjectNode object(Consumer<ObjectNode> content) {
        var node = JsonNodeFactory.instance.objectNode();
        content.accept(node);
        return node;
    }
}
