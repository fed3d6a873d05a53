package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ACCEPTED;
import static io.portcullis.api.condition.ConditionType.ENFORCED;
import static io.portcullis.api.condition.ConditionType.POLICY_AFFECTED;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.controller.policy.observe.PolicySettings;
import io.portcullis.controller.policy.webhook.MatchConditionSupport;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Correctness of the status with special settings and API servers, and the number of writes for it. */
@Tag("level1")
@RealCluster
class PolicyTruthIT {

    /** Scheduled and Initialized by the leader, Ready by each of three replicas. */
    private static final int WRITES_OF_THE_SERVER = 5;

    private static SimulatedInstallation installation;

    @BeforeAll
    static void install(TestCluster cluster) {
        installation = new SimulatedInstallation(cluster);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    private static boolean isEnforced(PolicyStatus status) {
        return status.condition(ENFORCED).orElseThrow().isTrue();
    }

    /** A slow machine writes additional progress to the policy status. The limit for all other writes is strict. */
    @Test
    void creatingAPolicyOnThreeReplicasNeedsAtMostTwelveWritesWithoutEvents() {
        var server = installation.server(3);

        var writesOfEachPolicy = Stream.of("cost-a", "cost-b", "cost-c")
                .map(name -> writesToCreate(name, server))
                .toList();

        assertThat(writesOfEachPolicy)
                .anySatisfy(writes -> assertThat(writes).hasSizeLessThanOrEqualTo(12 - WRITES_OF_THE_SERVER))
                .allSatisfy(writes -> assertThat(writes)
                        .filteredOn(write -> !write.matches(".*/clusteradmissionpolicies/[^/]+/status"))
                        .hasSizeLessThanOrEqualTo(5));
    }

    private static List<String> writesToCreate(String name, SimulatedServer server) {
        int before = installation.writes().all().size();
        var policy = SimulatedPolicy.create(installation, name, server);

        var status = policy.awaitWithServers(known -> known.policyStatus() == PolicyState.ACTIVE && isEnforced(known));
        policy.awaitRevision(1, known -> known.statusOrEmpty().activatedAt() != null);

        assertThat(status.condition(POLICY_AFFECTED))
                .as("no later write remains")
                .isPresent();
        return installation.writes().all().stream()
                .skip(before)
                .filter(write -> write.contains(name) || write.startsWith("POST"))
                .toList();
    }

    @Test
    void aReplacedReplicaDoesNotRevokeEnforced() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "no-flicker", server);
        policy.await(PolicyTruthIT::isEnforced);
        server.scale(2);
        policy.awaitActive(1);
        policy.await(PolicyTruthIT::isEnforced);

        var observed = new CopyOnWriteArrayList<PolicyStatus>();
        try (var watch = policy.watch(observed::add)) {
            server.stopPod(1);
            server.startPod(1); // the status of the StatefulSet never reports a missing replica
            server.replica(1).served.putAll(server.replica(0).served);
            policy.awaitWithServers(status -> status.conditions().stream()
                    .anyMatch(condition -> condition.replica() == 1
                            && condition.isTrue()
                            && server.replica(1).uid().equals(condition.reporterUID())));
            policy.awaitActive(1);
            policy.await(PolicyTruthIT::isEnforced);
            assertThat(watch).isNotNull();
        }

        assertThat(observed)
                .filteredOn(status -> status.policyStatus() == PolicyState.ACTIVE)
                .allMatch(PolicyTruthIT::isEnforced);
    }

    @Test
    void policiesAreOverriddenInANamespaceWhereTheServerAcceptsEverything() {
        var server = installation.server(1);
        var inside = SimulatedPolicy.namespaced(installation, "inside", server);
        inside.awaitActive(1);
        inside.await(PolicyTruthIT::isEnforced);

        installation.restart(settings -> new PolicySettings(
                settings.namespace(),
                settings.drain(),
                settings.grace(),
                settings.historyLimit(),
                settings.identityScheme(),
                settings.reportsAffected(),
                true));

        var status = inside.await(known -> !isEnforced(known));
        assertThat(status.policyStatus()).isEqualTo(PolicyState.ACTIVE);
        assertThat(status.condition(ENFORCED).orElseThrow().reason()).isEqualTo("Overridden");
        assertThat(status.condition(ENFORCED).orElseThrow().message()).contains(installation.namespace());
        installation.restart(settings -> new PolicySettings(
                settings.namespace(),
                settings.drain(),
                settings.grace(),
                settings.historyLimit(),
                settings.identityScheme(),
                settings.reportsAffected(),
                false));
        inside.await(PolicyTruthIT::isEnforced);
    }

    @Test
    void omitsPolicyAffectedWhenDisabled() {
        installation.restart(settings -> new PolicySettings(
                settings.namespace(),
                settings.drain(),
                settings.grace(),
                settings.historyLimit(),
                settings.identityScheme(),
                false,
                settings.acceptsAllInside()));

        var policy = SimulatedPolicy.active(installation, "not-told", installation.server(1));
        var status = policy.await(PolicyTruthIT::isEnforced);
        assertThat(status.condition(POLICY_AFFECTED)).isEmpty();
        installation.restart(settings -> new PolicySettings(
                settings.namespace(),
                settings.drain(),
                settings.grace(),
                settings.historyLimit(),
                settings.identityScheme(),
                true,
                settings.acceptsAllInside()));
        policy.await(known -> known.condition(POLICY_AFFECTED).isPresent());
    }

    @Test
    void rejectsMatchConditionsThatTheApiServerWouldDrop() {
        var known = SimulatedPolicy.create(
                installation,
                "conditions",
                installation.server(1),
                spec -> spec.putArray("matchConditions")
                        .addObject()
                        .put("name", "always")
                        .put("expression", "true"));
        known.awaitActive(1);

        installation.restartWithSurroundings(surroundings ->
                new PolicyControl.Surroundings(surroundings.affected(), surroundings.affectedWrites(), () -> false));
        known.edit(spec -> spec.put("timeoutSeconds", 7));

        var status = known.await(now -> now.observedGeneration() == 2
                && now.condition(ACCEPTED).orElseThrow().reason().equals("Invalid"));
        assertThat(status.condition(ACCEPTED).orElseThrow().message()).contains(MatchConditionSupport.UNSUPPORTED);
        assertThat(known.webhook().orElseThrow().generation())
                .as("the registered webhook stays")
                .isEqualTo(1);
        known.awaitEvents("MatchConditionsUnsupported");
        installation.restartWithSurroundings(surroundings -> new PolicyControl.Surroundings(
                surroundings.affected(),
                surroundings.affectedWrites(),
                MatchConditionSupport.of(installation.client())));
        known.awaitActive(2);
    }

    @Test
    void reportsAServerWithoutALeaderAsNotRunning() {
        var server = installation.server(1);
        lease(server, ZonedDateTime.now(ZoneOffset.UTC).minusMinutes(1));
        var policy = SimulatedPolicy.create(installation, "leaderless", server);

        var revision = policy.awaitRevision(
                1, known -> SimulatedServer.condition(known, SCHEDULED, Condition.NO_REPLICA) != null);
        assertThat(SimulatedServer.condition(revision, SCHEDULED, Condition.NO_REPLICA))
                .satisfies(condition -> {
                    assertThat(condition.isTrue()).isFalse();
                    assertThat(condition.reason()).isEqualTo(Reason.POLICY_SERVER_NOT_RUNNING.wireName());
                    assertThat(condition.message()).contains(server.name());
                });
        policy.await(status -> status.conditions().stream()
                .anyMatch(condition -> condition.reason().equals(Reason.POLICY_SERVER_NOT_RUNNING.wireName())));

        lease(server, ZonedDateTime.now(ZoneOffset.UTC).plusMinutes(1));
        policy.awaitRevision(1, known -> {
            var scheduled = SimulatedServer.condition(known, SCHEDULED, Condition.NO_REPLICA);
            return scheduled != null && scheduled.reason().equals(Reason.WAITING_FOR_POLICY_SERVER.wireName());
        });
        policy.awaitActive(1);
    }

    private static void lease(SimulatedServer server, ZonedDateTime renewed) {
        installation
                .client()
                .resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withName("policy-server-" + server.name())
                        .withNamespace(installation.namespace())
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity(renewed.toString())
                        .withLeaseDurationSeconds(15)
                        .withRenewTime(renewed)
                        .endSpec()
                        .build())
                .forceConflicts()
                .serverSideApply();
    }
}
