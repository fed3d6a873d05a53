package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ACCEPTED;
import static io.portcullis.api.condition.ConditionType.POLICY_ACTIVE;
import static io.portcullis.api.condition.ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE;
import static io.portcullis.api.condition.ConditionType.POLICY_UNIQUELY_REACHABLE;
import static io.portcullis.api.policy.PolicyState.ACTIVE;
import static io.portcullis.api.policy.PolicyState.PENDING;
import static io.portcullis.api.policy.PolicyState.SCHEDULED;
import static io.portcullis.api.policy.PolicyState.UNSCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The transitions of the documented state diagram, and concurrent writes by different field managers. */
@Tag("level1")
@RealCluster
class StatusDiagramIT {

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
    void takesEveryTransitionOfTheDiagram() {
        var server = installation.absentServer();
        // [*] --> unscheduled : policy created
        var policy = SimulatedPolicy.create(installation, "diagram", server, spec -> spec.put("policyServer", ""));
        awaitState(policy, UNSCHEDULED);
        assertThat(policy.webhooks()).isEmpty();
        // unscheduled --> scheduled : spec.policyServer set
        policy.edit(spec -> spec.put("policyServer", server.name()));
        awaitState(policy, SCHEDULED);
        // scheduled --> unscheduled : spec.policyServer cleared
        policy.edit(spec -> spec.put("policyServer", ""));
        awaitState(policy, UNSCHEDULED);
        policy.edit(spec -> spec.put("policyServer", server.name()));
        awaitState(policy, SCHEDULED);
        // scheduled --> pending : PolicyServer CR created
        server.scale(2);
        awaitState(policy, PENDING);
        // pending --> scheduled : PolicyServer CR deleted
        server.delete();
        awaitState(policy, SCHEDULED);
        server.scale(2);
        awaitState(policy, PENDING);
        // pending --> active : PolicyServer ready
        policy.awaitWithServers(status -> status.policyStatus() == ACTIVE);
        assertConsistent(policy.await(_ -> true));
        // active --> pending : PolicyServer updating (rolling update)
        server.settle(1);
        assertThat(awaitState(policy, PENDING)
                        .condition(POLICY_UNIQUELY_REACHABLE)
                        .orElseThrow()
                        .isTrue())
                .isFalse();
        server.settle(2);
        awaitState(policy, ACTIVE);
        // active --> pending : PolicyServer updating (config change)
        policy.edit(spec -> spec.put("timeoutSeconds", 7));
        awaitState(policy, PENDING);
        policy.awaitWithServers(status -> status.policyStatus() == ACTIVE);
        // active --> unscheduled : spec.policyServer cleared (webhook removed)
        assertThat(policy.webhooks()).hasSize(1);
        policy.edit(spec -> spec.put("policyServer", ""));
        awaitState(policy, UNSCHEDULED);
        assertThat(policy.webhooks()).isEmpty();
        policy.edit(spec -> spec.put("policyServer", server.name()));
        policy.awaitWithServers(status -> status.policyStatus() == ACTIVE);
        // active --> scheduled : PolicyServer CR deleted (webhook removed)
        server.delete();
        awaitState(policy, SCHEDULED);
        assertThat(policy.webhook()).isEmpty();
    }

    private static PolicyStatus awaitState(SimulatedPolicy policy, PolicyState state) {
        var status = policy.await(current -> current.policyStatus() == state
                && current.observedGeneration() == policy.get().getMetadata().getGeneration());
        assertConsistent(status);
        return status;
    }

    /** The three conditions are all true exactly when the policy is active. */
    private static void assertConsistent(PolicyStatus status) {
        boolean all = Stream.of(POLICY_ACTIVE, POLICY_UNIQUELY_REACHABLE, POLICY_SERVER_CONFIGURATION_UP_TO_DATE)
                .allMatch(type -> status.condition(type).orElseThrow().isTrue());
        assertThat(all).isEqualTo(status.policyStatus() == ACTIVE);
    }

    @Test
    void losesNoneOfAThousandConcurrentReports() {
        var server = installation.server(2);
        var policy = SimulatedPolicy.create(installation, "reports", server);
        policy.awaitRevision(1, current -> SimulatedServer.condition(current, ConditionType.SCHEDULED, -1) != null);
        server.initialize(policy.revision(1));
        var revision = policy.revision(1);

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int replica = 0; replica < 2; replica++) {
                var ordinal = replica;
                threads.execute(() -> {
                    for (int i = 0; i < 500; i++) {
                        boolean isLast = i == 499;
                        server.report(
                                revision,
                                ordinal,
                                isLast || i % 2 == 1 ? Reason.POLICY_READY : Reason.REPLICA_STARTING,
                                "report " + i);
                    }
                });
            }
        }

        assertThat(policy.revision(1).statusOrEmpty().conditions())
                .filteredOn(condition -> condition.replica() >= 0)
                .hasSize(2)
                .allMatch(Condition::isTrue)
                .allMatch(condition -> condition.message().equals("report 499"));
        policy.await(status -> status.policyStatus() == ACTIVE);
    }

    @Test
    void aServerReportsItsPolicies() {
        var server = installation.server(1);
        SimulatedPolicy.active(installation, "summary-b", server);
        SimulatedPolicy.active(installation, "summary-a", server);

        await().ignoreExceptions().atMost(Duration.ofSeconds(15)).untilAsserted(() -> {
            var status = Objects.requireNonNull(installation
                    .client()
                    .resources(PolicyServer.class)
                    .withName(server.name())
                    .get()
                    .getStatus());
            assertThat(Objects.requireNonNull(status.policies()).active()).isEqualTo(2);
            assertThat(status.conditions())
                    .filteredOn(condition -> condition
                            .getType()
                            .equals(PolicyServerNames.policiesCondition(PolicyKind.CLUSTER_ADMISSION_POLICY)))
                    .singleElement()
                    .satisfies(condition -> assertThat(condition.getMessage())
                            .isEqualTo("serves 2 ClusterAdmissionPolicy: [summary-a, summary-b]"));
        });
    }

    @Test
    void keepsStatusesOfOtherControllers() {
        var policy = SimulatedPolicy.active(installation, "ancestors", installation.server(1));
        var current = policy.get();
        var patch = """
            {"status": {"policyStatus": "active", "ancestors": [{"ancestorRef": {"name": "theirs"},
             "controllerName": "example.com/other", "conditions": []}]}}\
            """;
        installation
                .client()
                .resource(current)
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), patch);

        policy.edit(spec -> spec.put("timeoutSeconds", 9));
        var status = policy.awaitActive(2);

        assertThat(status.ancestors())
                .extracting(ancestor -> ancestor.controllerName())
                .containsExactlyInAnyOrderElementsOf(List.of("example.com/other", "portcullis.io/policy-controller"));
        assertThat(status.condition(ACCEPTED).orElseThrow().isTrue()).isTrue();
    }
}
