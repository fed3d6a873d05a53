package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.hostpods.HostPod;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
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

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String SERVER = "default";
    private static final String POLICY = "no-privileged-pods";
    /** Where the pods of this test are asked for. */
    private static final String WATCHED = "lifecycle-watched";

    private TestCluster cluster;
    private Policies policies;
    private Installation installation;
    private String module;
    private Requests requests;

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path directory) {
        cluster = testCluster;
        policies = new Policies(cluster.client());
        installation = Installation.start(cluster, directory, List.of());
        module = installation.push("privileged-pods", "v1");
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(WATCHED)
                .endMetadata()
                .build());
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("default")
                .withNamespace(WATCHED)
                .endMetadata()
                .build());
        requests = installation.requests(WATCHED);
        cluster.client()
                .resource(Policies.server(SERVER, 2, installation.registry().host()))
                .create();
        await().atMost(LIMIT)
                .until(() -> installation.pods().all().size() == 2
                        && installation.pods().all().stream().allMatch(HostPod::isReady));
    }

    @AfterEach
    void removePolicies() {
        policies.get(POLICY).delete();
        await().atMost(LIMIT).until(() -> policies.get(POLICY).get() == null);
    }

    @AfterAll
    void uninstall() {
        cluster.client().resources(PolicyServer.class).withName(SERVER).delete();
        await().atMost(LIMIT)
                .until(() -> cluster.client()
                                .resources(PolicyServer.class)
                                .withName(SERVER)
                                .get()
                        == null);
        installation.close();
    }

    @Test
    void aNewPolicyIsProvedOnEveryReplicaAndThenEnforced() {
        var before = restarts();
        create("first");

        var active = awaitStatus(LifecycleIT::isEnforced);

        assertThat(requests.privilegedPod())
                .isInstanceOfSatisfying(
                        Answer.Denied.class,
                        denied -> assertThat(denied.message()).contains("first"));
        assertThat(requests.ordinaryPod()).isEqualTo(new Answer.Allowed());
        assertThat(status(active).conditions())
                .filteredOn(condition -> condition.type().equals(ConditionType.READY.wireName()))
                .hasSize(2)
                .allMatch(condition -> condition.isTrue() && condition.generation() == 1);
        assertThat(webhookPath()).endsWith("/1");
        assertThat(restarts()).isEqualTo(before);
    }

    @Test
    void anUpdateUnderLoadLosesNoRequest() throws InterruptedException {
        var before = restarts();
        create("first");
        awaitStatus(LifecycleIT::isEnforced);
        var load = Load.start(requests, 20);

        for (int change = 2; change <= 4; change++) {
            var message = "change-" + change;
            long generation = policies.edit(POLICY, spec -> spec.put("message", message))
                    .getMetadata()
                    .getGeneration();
            awaitStatus(policy ->
                    isEnforced(policy) && generation == policy.getMetadata().getGeneration());
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> requests.privilegedPod() instanceof Answer.Denied denied
                            && denied.message().contains(message));
        }

        assertThat(load.finish()).isEmpty();
        assertThat(load.answered()).isPositive();
        assertThat(restarts()).isEqualTo(before);
    }

    @Test
    void aBrokenUpdateIsShownWhileTheOldGenerationGoesOnRefusing() {
        create("first");
        awaitStatus(LifecycleIT::isEnforced);

        policies.edit(POLICY, spec -> spec.set("settings", object(node -> node.put("no_such_setting", true))));

        var failed = awaitStatus(policy -> status(policy).phase() == Phase.FAILED);
        assertThat(status(failed).condition(ConditionType.ACCEPTED))
                .hasValueSatisfying(accepted -> assertThat(accepted.reason()).isEqualTo("Invalid"));
        assertThat(status(failed).condition(ConditionType.ENFORCED))
                .hasValueSatisfying(enforced -> assertThat(enforced.reason()).isEqualTo("PartiallyEnforced"));
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        assertThat(webhookPath()).endsWith("/1");

        policies.get(POLICY).edit(policy -> {
            policy.getMetadata().getAnnotations().put(PolicyNames.ROLLBACK_TO, "1");
            return policy;
        });
        var back =
                awaitStatus(policy -> isEnforced(policy) && policy.getMetadata().getGeneration() == 3);
        assertThat(back.getSpec().path("settings").has("no_such_setting")).isFalse();
        assertThat(back.getMetadata().getAnnotations()).doesNotContainKey(PolicyNames.ROLLBACK_TO);
    }

    @Test
    void aModuleThatCannotBePulledFailsWithTheCauseAndOthersGoOn() {
        create("first");
        awaitStatus(LifecycleIT::isEnforced);

        policies.edit(POLICY, spec -> spec.put("module", module.replace(":v1", ":missing")));

        var failed = awaitStatus(policy -> status(policy).phase() == Phase.FAILED);
        assertThat(status(failed).conditions())
                .filteredOn(condition ->
                        condition.type().equals(ConditionType.INITIALIZED.wireName()) && condition.generation() == 2)
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.reason()).isEqualTo("PullError");
                    assertThat(condition.message()).startsWith("Cannot pull the policy from the registry.");
                });
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
        installation.push("privileged-pods", "missing");
        awaitStatus(policy -> isEnforced(policy) && policy.getMetadata().getGeneration() == 2);
    }

    @Test
    void aReplicaThatIsKilledComesBackAndNothingIsLost() {
        create("first");
        awaitStatus(LifecycleIT::isEnforced);

        installation.pods().all().getFirst().kill();
        awaitStatus(policy -> !isEnforced(policy));
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);

        awaitStatus(LifecycleIT::isEnforced);
    }

    @Test
    void aRestartedControllerGoesOnWhereTheOldOneEnded() {
        create("first");
        installation.restartController();

        awaitStatus(LifecycleIT::isEnforced);
        assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
    }

    @Test
    void aDeletedPolicyIsGoneAtOnceAndItsRevisionsAfterTheDrain() {
        create("first");
        var uid = awaitStatus(LifecycleIT::isEnforced).getMetadata().getUid();
        // Of this policy only: in namespaces of earlier test classes, which nobody empties here, others may live on.
        var revisions = cluster.client()
                .resources(PolicyRevision.class)
                .inNamespace(cluster.namespace())
                .withLabel(RevisionNames.POLICY_UID, uid);
        assertThat(revisions.list().getItems()).isNotEmpty();

        policies.get(POLICY).delete();
        await().atMost(Duration.ofSeconds(10)).until(() -> policies.get(POLICY).get() == null);

        assertThat(requests.privilegedPod()).isEqualTo(new Answer.Allowed());
        await().atMost(LIMIT).until(() -> revisions.list().getItems().isEmpty());
    }

    private int restarts() {
        return installation.pods().all().stream().mapToInt(HostPod::restarts).sum();
    }

    private void create(String message) {
        cluster.client()
                .resource(Policies.privilegedPods(POLICY, SERVER, module, message, WATCHED))
                .create();
    }

    private ClusterAdmissionPolicy awaitStatus(Predicate<ClusterAdmissionPolicy> condition) {
        return cluster.await(
                policies.get(POLICY), policy -> policy.getStatus() != null && condition.test(policy), LIMIT);
    }

    private static PolicyStatus status(ClusterAdmissionPolicy policy) {
        return Objects.requireNonNull(policy.getStatus(), "no status yet");
    }

    /** The latest generation, on every replica, in the API server: all of it says so. */
    private static boolean isEnforced(ClusterAdmissionPolicy policy) {
        var status = status(policy);
        return status.policyStatus() == PolicyState.ACTIVE
                && policy.getMetadata().getGeneration().equals(status.observedGeneration())
                && status.condition(ConditionType.ENFORCED)
                        .filter(condition -> condition.isTrue())
                        .isPresent();
    }

    private String webhookPath() {
        return cluster.client()
                .admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName("kw.cap." + POLICY)
                .get()
                .getWebhooks()
                .getFirst()
                .getClientConfig()
                .getService()
                .getPath();
    }

    private static ObjectNode object(Consumer<ObjectNode> content) {
        var node = JsonNodeFactory.instance.objectNode();
        content.accept(node);
        return node;
    }
}
