package io.portcullis.controller.policyserver.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.controller.policyserver.SampleServers;
import io.portcullis.controller.policyserver.status.ServerStatus.Outcome;
import io.portcullis.controller.policyserver.status.ServerStatus.Seen;
import io.portcullis.controller.policyserver.workload.SourceAuthorities;
import io.portcullis.controller.policyserver.workload.SourceAuthorities.Cause;
import io.portcullis.controller.policyserver.workload.SourceAuthorities.Problem;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conditions and Events of a PolicyServer. */
class ServerStatusTest {

    private static final Instant NOW = Instant.parse("2026-11-16T01:02:03.4Z");
    private static final Instant LATER = NOW.plusSeconds(60);

    private static List<Outcome> outcomes(ServerStep failing, String problem) {
        return Stream.of(ServerStep.values())
                .map(step -> new Outcome(step, step == failing ? problem : ""))
                .toList();
    }

    private static List<Outcome> succeeded() {
        return Stream.of(ServerStep.values()).map(step -> new Outcome(step, "")).toList();
    }

    private static StatefulSet statefulSet(long observed, int wanted, int existing, int updated, int ready) {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withGeneration(2L)
                .endMetadata()
                .withNewSpec()
                .withReplicas(wanted)
                .endSpec()
                .withNewStatus()
                .withObservedGeneration(observed)
                .withReplicas(existing)
                .withUpdatedReplicas(updated)
                .withReadyReplicas(ready)
                .endStatus()
                .build();
    }

    private static Seen seen(List<Outcome> outcomes, StatefulSet statefulSet) {
        return new Seen(
                outcomes,
                Optional.of(statefulSet),
                Optional.of("policy-server-a-0"),
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.empty());
    }

    private static PolicyServerStatus status(PolicyServer server, Seen seen, Instant now) {
        return ServerStatus.of(server, seen, now);
    }

    private static String text(PolicyServerStatus status, String type) {
        return ServerStatus.find(status.conditions(), type)
                .map(condition -> condition.getStatus() + "/" + condition.getReason())
                .orElse("absent");
    }

    @ParameterizedTest
    @CsvSource({
        // observed, wanted, existing, updated, ready → Available, Progressing
        "2, 2, 2, 2, 2, True/ReplicasAvailable, False/RolloutComplete",
        "1, 2, 2, 2, 2, True/ReplicasAvailable, True/RolloutInProgress",
        "2, 2, 2, 1, 2, True/ReplicasAvailable, True/RolloutInProgress",
        "2, 2, 2, 2, 1, True/ReplicasAvailable, True/RolloutInProgress",
        "2, 1, 2, 2, 2, True/ReplicasAvailable, True/RolloutInProgress",
        "2, 2, 2, 2, 0, False/NoReplicaAvailable, True/RolloutInProgress",
        "2, 0, 0, 0, 0, False/ScaledToZero, False/RolloutComplete",
    })
    void reportsTheStateOfTheReplicas(
            long observed, int wanted, int existing, int updated, int ready, String available, String progressing) {
        var status = status(
                SampleServers.minimal(),
                seen(succeeded(), statefulSet(observed, wanted, existing, updated, ready)),
                NOW);

        assertThat(text(status, "Available")).isEqualTo(available);
        assertThat(text(status, "Progressing")).isEqualTo(progressing);
        assertThat(status.readyReplicas()).isEqualTo(ready);
    }

    @Test
    void everyStepHasItsCondition() {
        var status = status(
                SampleServers.minimal(), seen(outcomes(ServerStep.CACHE, "no space"), statefulSet(2, 1, 1, 1, 1)), NOW);

        var text = status.conditions().stream()
                .map(condition -> condition.getType() + " " + condition.getStatus() + " " + condition.getReason() + " "
                        + condition.getMessage())
                .collect(Collectors.joining("\n"));
        assertThat(text).isEqualTo("""
                CARootSecretReconciled True ReconciliationSucceeded\s
                RBACReconciled True ReconciliationSucceeded\s
                CertSecretReconciled True ReconciliationSucceeded\s
                ConfigMapReconciled True ReconciliationSucceeded\s
                CacheReconciled False ReconciliationFailed no space
                ServiceReconciled True ReconciliationSucceeded\s
                StatefulSetReconciled True ReconciliationSucceeded\s
                DeploymentReconciled True ReconciliationSucceeded\s
                PodDisruptionBudgetReconciled True ReconciliationSucceeded\s
                NetworkPolicyReconciled True ReconciliationSucceeded\s
                Available True ReplicasAvailable 1 of 1 replicas ready, 1 updated
                Progressing False RolloutComplete 1 of 1 replicas ready, 1 updated""");
        assertThat(status.observedGeneration()).isEqualTo(3);
        assertThat(status.leader()).isEqualTo("policy-server-a-0");
        assertThat(status.selector())
                .isEqualTo("app.kubernetes.io/instance=policy-server-a,app.kubernetes.io/part-of=kubewarden,"
                        + "kubewarden/policy-server=a");
    }

    @Test
    void anUnchangedStatusIsEqualAtALaterTime() {
        var server = SampleServers.minimal();
        var seen = seen(succeeded(), statefulSet(2, 1, 1, 1, 1));
        server.setStatus(status(server, seen, NOW));

        assertThat(status(server, seen, LATER)).isEqualTo(server.getStatus());
    }

    @Test
    void onlyAChangedConditionHasANewTransitionTime() {
        var server = SampleServers.minimal();
        server.setStatus(status(server, seen(succeeded(), statefulSet(2, 1, 1, 1, 1)), NOW));

        var after = status(server, seen(outcomes(ServerStep.RBAC, "denied"), statefulSet(2, 1, 1, 1, 1)), LATER);

        assertThat(after.conditions())
                .filteredOn(condition -> condition.getLastTransitionTime().equals("2026-11-16T01:03:03Z"))
                .extracting(condition -> condition.getType())
                .containsExactly("RBACReconciled");
    }

    @Test
    void truncatesLongMessages() {
        var status = status(
                SampleServers.minimal(),
                seen(outcomes(ServerStep.RBAC, "x".repeat(5000)), statefulSet(2, 1, 1, 1, 1)),
                NOW);

        assertThat(ServerStatus.find(status.conditions(), "RBACReconciled")
                        .orElseThrow()
                        .getMessage())
                .hasSize(1024);
    }

    @Test
    void reportsARolloutInProgressWithoutAStatefulSet() {
        var status = ServerStatus.of(
                SampleServers.minimal(),
                new Seen(
                        succeeded(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        Optional.empty(),
                        Optional.empty()),
                NOW);

        assertThat(text(status, "Progressing")).isEqualTo("True/RolloutInProgress");
    }

    @Test
    void ignoresConditionsAboutPoliciesOfAnotherWriter() {
        var server = SampleServers.minimal();
        var seen = seen(succeeded(), statefulSet(2, 1, 1, 1, 1));
        var own = status(server, seen, NOW);
        var aboutPolicies = new ConditionBuilder()
                .withType(PolicyServerNames.policiesCondition(PolicyKind.ADMISSION_POLICY))
                .withStatus("True")
                .build();
        var whole = new PolicyServerStatus(
                Stream.concat(own.conditions().stream(), Stream.of(aboutPolicies))
                        .toList(),
                own.observedGeneration(),
                own.replicas(),
                own.readyReplicas(),
                own.updatedReplicas(),
                own.selector(),
                own.leader(),
                new PolicyServerStatus.Policies(1, 1, 0, 0));
        server.setStatus(whole);

        assertThat(status(server, seen, LATER)).isEqualTo(own);
        assertThat(whole.withoutPolicies()).isEqualTo(own);
        assertThat(ServerStatus.deleting(server, seen, false, "waiting", LATER).conditions())
                .doesNotContain(aboutPolicies);
    }

    @Test
    void deletionKeepsEarlierConditions() {
        var server = SampleServers.minimal();
        var seen = seen(succeeded(), statefulSet(2, 1, 1, 1, 1));
        server.setStatus(status(server, seen, NOW));

        var waiting = ServerStatus.deleting(server, seen, false, "waiting", LATER);
        server.setStatus(waiting);
        var done = ServerStatus.deleting(server, seen, true, "", LATER);

        assertThat(text(waiting, "PolicyWebhooksCleanedUp")).isEqualTo("False/WaitingForWebhooks");
        assertThat(text(done, "PolicyWebhooksCleanedUp")).isEqualTo("True/ReconciliationSucceeded");
        assertThat(text(done, "Available")).isEqualTo("True/ReplicasAvailable");
        assertThat(done.conditions()).hasSize(13);
    }

    private static List<String> events(PolicyServer server, PolicyServerStatus after, List<String> ignored) {
        return ServerEventDrafts.between(server, after, ignored).stream()
                .map(EventDraft::reason)
                .toList();
    }

    @Test
    void recordsEachTransitionAsOneEvent() {
        var server = SampleServers.minimal();
        var rolling = statefulSet(2, 1, 1, 1, 0);
        var done = statefulSet(2, 1, 1, 1, 1);

        var first = status(server, seen(succeeded(), rolling), NOW);
        assertThat(events(server, first, List.of("KUBEWARDEN_PORT")))
                .containsExactly("RolloutStarted", "ReservedEnvIgnored");

        server.setStatus(first);
        assertThat(events(server, first, List.of("KUBEWARDEN_PORT"))).isEmpty();

        var second = status(server, seen(succeeded(), done), LATER);
        assertThat(events(server, second, List.of())).containsExactly("RolloutCompleted");
    }

    @Test
    void reportsOnceThatAServerWithoutReplicasEnforcesNothing() {
        var server = SampleServers.minimal();
        var stopped = statefulSet(2, 0, 0, 0, 0);

        var before = status(server, seen(succeeded(), stopped), NOW);
        server.setStatus(before);
        var after = status(server, withPolicies(3, stopped), LATER);

        assertThat(text(after, "Available")).isEqualTo("False/PoliciesNotEnforced");
        assertThat(ServerEventDrafts.between(server, after, List.of()))
                .containsExactly(
                        new EventDraft(true, "PoliciesNotEnforced", "spec.replicas is 0: 3 policies are not enforced"));
        server.setStatus(after);
        assertThat(events(server, status(server, withPolicies(4, stopped), LATER), List.of()))
                .isEmpty();
    }

    private static Seen withPolicies(int policies, StatefulSet statefulSet) {
        return new Seen(
                succeeded(),
                Optional.of(statefulSet),
                Optional.empty(),
                Optional.empty(),
                policies,
                Optional.empty(),
                Optional.empty());
    }

    private static PolicyServerStatus withAuthorities(SourceAuthorities authorities) {
        return status(
                SampleServers.minimal(),
                new Seen(
                        succeeded(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        Optional.empty(),
                        Optional.of(authorities)),
                NOW);
    }

    @Test
    void reportsTheFirstReasonAndAllProblemsOfReferencedCertificates() {
        var type = "SourceAuthoritiesResolved";
        var broken = withAuthorities(new SourceAuthorities(
                Map.of(),
                List.of(new Problem(Cause.NO_KEY, "a", true), new Problem(Cause.TOO_LARGE, "b", false)),
                true));

        assertThat(text(status(SampleServers.minimal(), seen(succeeded(), statefulSet(2, 1, 1, 1, 1)), NOW), type))
                .isEqualTo("absent");
        assertThat(text(withAuthorities(new SourceAuthorities(Map.of(), List.of(), true)), type))
                .isEqualTo("True/CertificatesResolved");
        assertThat(text(broken, type)).isEqualTo("False/KeyNotFound");
        assertThat(ServerStatus.find(broken.conditions(), type).orElseThrow().getMessage())
                .isEqualTo("a; the last certificates stay in use; b");
    }

    @Test
    void reportsTheWaitDuringTheReplacementOfTheOnlyReplica() {
        var outcomes = Stream.of(ServerStep.values())
                .map(step -> new Outcome(
                        step, "", step == ServerStep.STATEFUL_SET ? Optional.of("a second replica") : Optional.empty()))
                .toList();

        var status = status(SampleServers.minimal(), seen(outcomes, statefulSet(2, 1, 1, 1, 1)), NOW);

        assertThat(text(status, "Progressing")).isEqualTo("True/ReplacingReplica");
        assertThat(ServerStatus.find(status.conditions(), "Progressing")
                        .orElseThrow()
                        .getMessage())
                .isEqualTo("waiting for a second replica");
    }

    @Test
    void recordsEventsForNewFailuresAndChangedCauses() {
        var server = SampleServers.minimal();
        var set = statefulSet(2, 1, 1, 1, 1);
        server.setStatus(status(server, seen(succeeded(), set), NOW));

        var failed = status(server, seen(outcomes(ServerStep.STATEFUL_SET, "one"), set), NOW);
        assertThat(ServerEventDrafts.between(server, failed, List.of()))
                .containsExactly(new EventDraft(true, "ReconciliationFailed", "StatefulSetReconciled: one"));

        server.setStatus(failed);
        assertThat(events(server, failed, List.of())).isEmpty();
        var other = status(server, seen(outcomes(ServerStep.STATEFUL_SET, "two"), set), NOW);
        assertThat(events(server, other, List.of())).containsExactly("ReconciliationFailed");
        assertThat(events(server, status(server, seen(succeeded(), set), NOW), List.of()))
                .isEmpty();
    }
}
