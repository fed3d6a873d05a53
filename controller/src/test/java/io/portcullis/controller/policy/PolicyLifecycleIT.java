package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ACCEPTED;
import static io.portcullis.api.condition.ConditionType.ENFORCED;
import static io.portcullis.api.condition.ConditionType.READY;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lifecycle of a policy on a real API server. The test simulates the policy server. */
@Tag("level1")
@RealCluster
class PolicyLifecycleIT {

    private static final String WAITING =
            "Scheduled False WaitingForPolicyServer generation 1: The policy was created and is pending to be loaded.";

    private static SimulatedInstallation installation;

    @BeforeAll
    static void install(TestCluster cluster) {
        installation = new SimulatedInstallation(cluster);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    @Test
    void aNewPolicyBecomesActiveOnceEveryReplicaHasLoadedIt() {
        var server = installation.server(3);
        var policy = SimulatedPolicy.create(installation, "create", server);

        policy.awaitPhase(Phase.PENDING);
        var revision = policy.awaitRevision(1);
        assertThat(revision.getSpec().enabled()).isTrue();
        assertThat(revision.getSpec().active()).isFalse();
        var waiting = policy.awaitRevision(1, candidate -> SimulatedServer.condition(candidate, SCHEDULED, -1) != null);
        assertThat(documented(waiting.statusOrEmpty().conditions())).containsExactly(WAITING);
        assertThat(documented(
                        policy.await(status -> !documented(status.conditions()).isEmpty())
                                .conditions()))
                .containsExactly(WAITING);
        assertThat(policy.get().getFinalizers()).isEmpty();

        server.initialize(policy.revision(1));
        server.report(policy.revision(1), 0, Reason.POLICY_READY, "");
        policy.await(status -> status.condition(ACCEPTED).orElseThrow().isTrue()
                && status.conditions().stream().anyMatch(c -> c.replica() == 0));
        server.report(policy.revision(1), 1, Reason.POLICY_READY, "");
        policy.await(status -> status.conditions().stream().anyMatch(c -> c.replica() == 1));
        assertThat(policy.webhook()).as("one replica is missing").isEmpty();
        server.report(policy.revision(1), 2, Reason.POLICY_READY, "");

        policy.awaitActive(1);
        assertThat(policy.await(_ -> true).conditions())
                .filteredOn(condition -> condition.type().equals(READY.wireName()))
                .extracting(Condition::replica)
                .containsExactly(0, 1, 2);
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(1);
        assertThat(policy.webhook().orElseThrow().policyServer()).isEqualTo(server.name());
        assertThat(policy.get().getFinalizers()).containsExactly(PolicyNames.FINALIZER);
        policy.await(status -> status.condition(ENFORCED).orElseThrow().isTrue());
        policy.awaitRevision(1, candidate -> candidate.statusOrEmpty().activatedAt() != null);
        policy.awaitEvents("RevisionCreated", "PolicyInitialized", "PolicyActivated");
        assertThat(installation.metrics())
                .contains("kubewarden_policy_enforced{name=\"kw.cap.create\"} 1")
                .contains("kubewarden_policy_generation_lag{name=\"kw.cap.create\"} 0");
    }

    /** Returns the conditions of generations with the fields that the lifecycle RFC documents. */
    private static List<String> documented(List<Condition> conditions) {
        return conditions.stream()
                .filter(condition -> condition.generation() > 0)
                .map(condition -> "%s %s %s generation %d: %s"
                        .formatted(
                                condition.type(),
                                condition.status().wireName(),
                                condition.reason(),
                                condition.generation(),
                                condition.message()))
                .toList();
    }

    @Test
    void anUpdateIsEnforcedWithoutAGapAndTheOldGenerationDrains() {
        var server = installation.server(2);
        var policy = SimulatedPolicy.active(installation, "update", server);

        policy.edit(spec -> spec.putObject("settings").put("strict", true));
        policy.await(status -> status.phase() == Phase.UPDATING && status.activeGeneration() == 1);
        policy.awaitActive(2);

        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(2);
        var old = policy.awaitRevision(1, revision -> !revision.getSpec().enabled());
        assertThat(old.getSpec().active()).isFalse();
        policy.awaitRevision(1, revision -> revision.statusOrEmpty().deactivatedAt() != null);
        policy.awaitEvents("PolicyUpdating", "WebhookUpdated", "PreviousRevisionDisabled");
    }

    @Test
    void aBrokenUpdateKeepsTheEnforcedGeneration() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "broken", server);
        var before = policy.webhook().orElseThrow().object().getMetadata().getResourceVersion();

        policy.edit(spec -> spec.putObject("settings").put("wrong", true));
        policy.awaitRevision(2);
        server.lead(policy.revision(2), Reason.INVALID_SETTINGS, "settings are wrong");

        var status = policy.await(candidate -> candidate.phase() == Phase.FAILED);
        assertThat(status.activeGeneration()).isEqualTo(1);
        assertThat(status.condition(ACCEPTED).orElseThrow().reason()).isEqualTo("Invalid");
        assertThat(status.condition(ENFORCED).orElseThrow().reason()).isEqualTo("PartiallyEnforced");
        assertThat(policy.webhook().orElseThrow().object().getMetadata().getResourceVersion())
                .isEqualTo(before);
        policy.awaitEvents("InitializationFailed");

        policy.annotate(PolicyNames.ROLLBACK_TO, "previous");

        policy.awaitActive(3);
        assertThat(policy.get().getSpec().has("settings")).isFalse();
        assertThat(policy.get().getMetadata().getAnnotations()).doesNotContainKey(PolicyNames.ROLLBACK_TO);
        var restored = policy.revision(3).getSpec();
        assertThat(restored.rollbackOf()).isEqualTo(1);
        assertThat(restored.pinnedArtifacts())
                .singleElement()
                .satisfies(pin -> assertThat(pin.digest()).isEqualTo(SimulatedServer.DIGEST));
        policy.awaitEvents("RolledBack");
    }

    @Test
    void rejectsAnImpossibleRollbackOnce() {
        var policy = SimulatedPolicy.active(installation, "no-rollback", installation.server(1));

        policy.annotate(PolicyNames.ROLLBACK_TO, "7");

        await().until(() ->
                !Map.copyOf(policy.get().getMetadata().getAnnotations()).containsKey(PolicyNames.ROLLBACK_TO));
        policy.awaitEvents("RollbackFailed");
        assertThat(policy.get().getMetadata().getGeneration()).isEqualTo(1);
        assertThat(installation.metrics()).contains("kubewarden_rollback_total{result=\"refused\"}");
    }

    @Test
    void rollbackByNumberRestoresThatGeneration() {
        var policy = SimulatedPolicy.active(installation, "rollback-number", installation.server(1));
        for (int generation = 2; generation <= 3; generation++) {
            var number = generation;
            policy.edit(spec -> spec.putObject("settings").put("number", number));
            policy.awaitActive(generation);
        }

        policy.annotate(PolicyNames.ROLLBACK_TO, "1");

        policy.awaitActive(4);
        assertThat(policy.get().getSpec().has("settings")).isFalse();
        assertThat(policy.revision(4).getSpec().rollbackOf()).isEqualTo(1);
    }

    @Test
    void deletingTheServerRemovesTheWebhookAndRecreatingItRestoresThePolicy() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "server-deleted", server);

        server.delete();

        var status = policy.await(candidate -> candidate.policyStatus() == PolicyState.SCHEDULED);
        assertThat(status.condition(ACCEPTED).orElseThrow().reason()).isEqualTo("TargetNotFound");
        assertThat(policy.webhook()).isEmpty();
        await().until(() -> policy.get().getFinalizers().isEmpty());
        var revision = policy.awaitRevision(1, candidate -> !candidate.getSpec().enabled());
        assertThat(revision.getSpec().active()).isFalse();
        policy.awaitRevision(
                1, candidate -> candidate.statusOrEmpty().conditions().size() == 1);
        policy.awaitEvents("WebhookRemoved");

        server.scale(1);

        policy.awaitActive(1);
        assertThat(policy.revision(1).getSpec().enabled()).isTrue();
    }

    @Test
    void scalingNeverChangesTheWebhook() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "scale", server);
        var before = policy.webhook().orElseThrow().object().getMetadata().getResourceVersion();

        server.declare(3);
        policy.await(status -> status.phase() == Phase.ACTIVE
                && status.policyStatus() == PolicyState.PENDING
                && status.conditions().stream()
                        .anyMatch(condition -> condition.replica() == 2
                                && condition.reason().equals(Reason.WAITING_FOR_REPLICA.wireName())));
        server.scale(3);
        policy.awaitActive(1);
        policy.awaitRevision(
                1,
                candidate -> Integer.valueOf(3).equals(candidate.statusOrEmpty().readyReplicas()));
        server.scale(1);
        policy.awaitActive(1);
        policy.awaitRevision(
                1, candidate -> candidate.statusOrEmpty().conditions().stream().noneMatch(c -> c.replica() > 0));

        assertThat(policy.webhook().orElseThrow().object().getMetadata().getResourceVersion())
                .isEqualTo(before);
    }

    @Test
    void anOutageOfAnUnchangedPolicyIsNotAnUpdate() {
        var server = installation.server(2);
        var policy = SimulatedPolicy.active(installation, "outage", server);
        var observed = new CopyOnWriteArrayList<PolicyStatus>();
        try (var watch = policy.watch(observed::add)) {
            server.stopPod(1);
            server.settle(1);
            var degraded = policy.await(status -> status.phase() == Phase.ACTIVE
                    && status.policyStatus() == PolicyState.PENDING
                    && status.condition(ENFORCED).orElseThrow().reason().equals("PartiallyEnforced"));
            assertThat(degraded.activeGeneration()).isEqualTo(degraded.observedGeneration());

            server.stopPod(0);
            server.settle(0);
            var down = policy.await(status -> status.phase() == Phase.PENDING);
            assertThat(down.policyStatus()).isEqualTo(PolicyState.PENDING);
            assertThat(down.condition(ENFORCED).orElseThrow().reason()).isEqualTo("NotEnforced");
            assertThat(policy.webhook()).as("failurePolicy decides").isPresent();

            server.scale(2);
            policy.awaitActive(1);
            assertThat(watch).isNotNull();
        }

        assertThat(observed).isNotEmpty().noneMatch(status -> status.phase() == Phase.UPDATING);
    }

    @Test
    void scalingToZeroRemovesTheWebhook() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "to-zero", server);

        server.scale(0);

        policy.await(status -> status.activeGeneration() == 0
                && status.conditions().stream()
                        .anyMatch(condition ->
                                condition.reason().equals(Reason.POLICY_SERVER_SCALED_TO_ZERO.wireName())));
        assertThat(policy.webhook()).isEmpty();
    }

    @Test
    void changingTheWebhookKindKeepsExactlyOneWebhook() {
        var policy = SimulatedPolicy.active(installation, "toggle", installation.server(1));

        policy.edit(spec -> spec.put("mutating", true));
        policy.awaitActive(2);

        await().until(() -> policy.webhooks().size() == 1);
        assertThat(policy.webhook().orElseThrow().object().getKind()).isEqualTo("MutatingWebhookConfiguration");
    }

    @Test
    void movingToAnotherServerSwitchesTheWebhookInOneStep() {
        var from = installation.server(1);
        var to = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "move", from);

        policy.edit(spec -> spec.put("policyServer", to.name()));
        var status = policy.await(candidate -> candidate.observedGeneration() == 2);
        assertThat(status.activePolicyServer()).isEqualTo(from.name());
        policy.servedBy(from, to).awaitActive(2);

        assertThat(policy.await(_ -> true).activePolicyServer()).isEqualTo(to.name());
        assertThat(policy.webhook().orElseThrow().policyServer()).isEqualTo(to.name());
    }

    @Test
    void deletingTheOldServerDuringAMoveRemovesTheWebhook() {
        var from = installation.server(1);
        var policy = moveThatFails("move-broken", from);

        from.delete();

        policy.await(status -> status.activeGeneration() == 0);
        assertThat(policy.webhook()).isEmpty();
    }

    /** Otherwise requests would go to a Service without endpoints. */
    @Test
    void scalingTheOldServerToZeroDuringAMoveRemovesTheWebhook() {
        var from = installation.server(1);
        var policy = moveThatFails("move-scaled", from);

        from.scale(0);

        policy.await(status -> status.activeGeneration() == 0);
        assertThat(policy.webhook()).isEmpty();
    }

    private SimulatedPolicy moveThatFails(String name, SimulatedServer from) {
        var to = installation.server(1);
        var policy = SimulatedPolicy.active(installation, name, from);
        policy.edit(spec -> spec.put("policyServer", to.name()));
        policy.awaitRevision(2);
        to.lead(policy.revision(2), Reason.PULL_ERROR, "no registry");
        policy.await(status -> status.phase() == Phase.FAILED && status.activeGeneration() == 1);
        return policy;
    }

    @Test
    void deletingAPolicyRemovesAllItsObjects() {
        var policy = SimulatedPolicy.active(installation, "delete", installation.server(1));

        policy.delete();

        await().until(policy::isGone);
        assertThat(policy.webhook()).isEmpty();
        await().until(() -> policy.revisions().isEmpty());
        assertThat(installation.metrics()).doesNotContain("kw.cap.delete");
    }

    @Test
    void aPolicyThatWasNeverActiveHasNoFinalizer() {
        var policy = SimulatedPolicy.create(installation, "never", installation.absentServer());
        policy.await(status -> status.policyStatus() == PolicyState.SCHEDULED);

        assertThat(policy.get().getFinalizers()).isEmpty();
        assertThat(policy.revisions()).isEmpty();
        policy.delete();
        assertThat(policy.isGone()).isTrue();
    }

    @Test
    void aPolicyWithoutAServerIsDeletedWithoutAController() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "left-behind", server);
        server.delete();
        policy.await(status -> status.policyStatus() == PolicyState.SCHEDULED);
        await().until(() -> policy.get().getFinalizers().isEmpty());
        installation.stop();

        policy.delete();

        assertThat(policy.isGone()).isTrue();
        installation.restart();
    }

    @Test
    void onlyTheNewestRevisionsAreKept() {
        var policy = SimulatedPolicy.active(installation, "history", installation.server(1));
        for (int generation = 2; generation <= 6; generation++) {
            var message = "generation " + generation;
            policy.edit(spec -> spec.put("message", message));
            policy.awaitActive(generation);
        }

        // The limit is three revisions besides the active one. The first two are the oldest.
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(policy.revisions())
                        .extracting(revision -> revision.getSpec().policyGeneration())
                        .containsExactlyInAnyOrder(3L, 4L, 5L, 6L));
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(6);
    }

    @Test
    void theServerDecidesHowManyRevisionsAreKeptForARollback() {
        var server = installation.absentServer().keepRevisions(1);
        server.scale(1);
        var policy = SimulatedPolicy.active(installation, "short-history", server);
        for (int generation = 2; generation <= 4; generation++) {
            var message = "generation " + generation;
            policy.edit(spec -> spec.put("message", message));
            policy.awaitActive(generation);
        }

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(policy.revisions())
                        .extracting(
                                revision -> revision.getSpec().policyGeneration(),
                                revision -> revision.getSpec().enabled())
                        .containsExactlyInAnyOrder(tuple(3L, false), tuple(4L, true)));
        policy.annotate(PolicyNames.ROLLBACK_TO, "3");
        policy.awaitActive(5);
        assertThat(policy.get().getSpec().path("message").asText()).isEqualTo("generation 3");
    }

    @Test
    void aReplicaThatCannotLoadTheNewGenerationBlocksItsActivation() {
        var server = installation.server(2);
        var policy = SimulatedPolicy.active(installation, "replica-fails", server);
        policy.edit(spec -> spec.putObject("settings").put("large", true));
        policy.awaitRevision(2);
        server.initialize(policy.revision(2));
        server.report(policy.revision(2), 0, Reason.POLICY_READY, "");
        server.report(policy.revision(2), 1, Reason.OUT_OF_MEMORY, "too large");

        var status = policy.await(candidate -> candidate.phase() == Phase.FAILED);
        assertThat(status.activeGeneration()).isEqualTo(1);
        policy.awaitEvents("ReplicaLoadFailed");

        server.scale(1); // E12: removes the only failing replica
        policy.awaitActive(2);
    }

    @Test
    void detectsAReplicaThatServesAnotherGeneration() {
        var server = installation.server(2);
        var policy = SimulatedPolicy.active(installation, "liar", server);
        policy.await(status -> status.condition(ENFORCED).orElseThrow().isTrue());

        server.replica(1).served.clear();
        server.triggerProbe();

        var status = policy.await(
                candidate -> !candidate.condition(ENFORCED).orElseThrow().isTrue());
        assertThat(status.condition(ENFORCED).orElseThrow().message()).contains("replica 1 serves generations []");
    }

    @Test
    void reportsContentThatTheApiServerRejectsAndKeepsTheEnforcedGeneration() {
        var policy = SimulatedPolicy.active(installation, "refused", installation.server(1));

        policy.edit(spec -> {
            var condition = spec.putArray("matchConditions").addObject();
            condition.put("name", "types").put("expression", "request.userInfo.groups + 1 == 2");
        });

        var status = policy.awaitWithServers(candidate -> candidate.phase() == Phase.FAILED);
        assertThat(status.condition(ACCEPTED).orElseThrow().status()).isEqualTo(ConditionStatus.FALSE);
        assertThat(status.condition(ACCEPTED).orElseThrow().message()).contains("the API server refuses it");
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(1);

        // The controller still repairs the webhook of the enforced generation.
        installation.client().resource(policy.webhook().orElseThrow().object()).delete();
        await().until(() -> policy.webhook().isPresent());
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(1);
        policy.edit(spec -> spec.remove("matchConditions"));
        policy.awaitActive(3);
    }

    @Test
    void reportsContentThatAdmissionWouldReject() {
        var policy =
                SimulatedPolicy.create(installation, "invalid", installation.server(1), spec -> spec.putArray("rules"));

        var status = policy.await(candidate ->
                candidate.condition(ACCEPTED).orElseThrow().reason().equals("Invalid"));
        assertThat(status.condition(ACCEPTED).orElseThrow().message()).contains("spec.rules");
        assertThat(policy.revisions()).isEmpty();
    }

    /** Creation, update, failed update, rollback and deletion. */
    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void groupsAndNamespacedPoliciesHaveTheSameLifecycle(PolicyKind kind) {
        var server = installation.server(1);
        var policy = SimulatedPolicy.ofKind(kind, installation, "any-" + kind.shortName(), server);
        policy.awaitActive(1);
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(1);

        policy.edit(spec -> spec.put("message", "second"));
        policy.awaitActive(2);
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(2);
        policy.awaitRevision(1, revision -> !revision.getSpec().enabled());

        policy.edit(spec -> spec.put("message", "third"));
        policy.awaitRevision(3);
        server.lead(policy.revision(3), Reason.INVALID_SETTINGS, "settings are wrong");
        var failed = policy.await(status -> status.phase() == Phase.FAILED);
        assertThat(failed.activeGeneration()).isEqualTo(2);
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(2);
        policy.awaitEvents("PolicyActivated", "PolicyUpdating", "InitializationFailed");

        policy.annotate(PolicyNames.ROLLBACK_TO, "previous");
        policy.awaitActive(4);
        assertThat(policy.get().getSpec().path("message").asText()).isEqualTo("second");

        policy.delete();
        await().until(policy::isGone);
        assertThat(policy.webhook()).isEmpty();
        await().until(() -> policy.revisions().isEmpty());
    }
}
