package io.portcullis.core.lifecycle;

import static io.portcullis.api.condition.Reason.BOOTSTRAP_LOAD_ERROR;
import static io.portcullis.api.condition.Reason.LOAD_ERROR;
import static io.portcullis.api.condition.Reason.POLICY_INITIALIZED;
import static io.portcullis.api.condition.Reason.POLICY_READY;
import static io.portcullis.api.condition.Reason.PULL_ERROR;
import static io.portcullis.api.condition.Reason.REPLICA_NOT_READY;
import static io.portcullis.api.condition.Reason.WAITING_FOR_REPLICA;
import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.core.lifecycle.ReplicaReports.Correction;
import io.portcullis.core.status.Facts.Target;
import io.portcullis.core.status.RolloutProgress;
import io.portcullis.testkit.sample.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the rules of the lifecycle, mostly with one table per rule. */
class DecisionsTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration GRACE = Duration.ofSeconds(60);

    // Gate

    record GateCase(String name, RolloutProgress progress, List<ReplicaPod> pods, String expected) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<GateCase> gate() {
        var both = List.of(up(0), up(1));
        return Stream.of(
                new GateCase("all loaded", progress(POLICY_INITIALIZED, ready(0), ready(1)), both, "open"),
                new GateCase("not initialized", progress(PULL_ERROR), both, "generation 2 is not initialized"),
                new GateCase(
                        "one missing", progress(POLICY_INITIALIZED, ready(0)), both, "replica 1 has not loaded it"),
                new GateCase(
                        "one failed",
                        progress(POLICY_INITIALIZED, ready(0), report(1, LOAD_ERROR)),
                        both,
                        "replica 1 failed: LoadError"),
                new GateCase(
                        "reported by a deleted pod",
                        progress(POLICY_INITIALIZED, ready(0), ready(1).reportedBy("old")),
                        both,
                        "replica 1 has not loaded it"),
                new GateCase(
                        "one down for less than the grace time",
                        progress(POLICY_INITIALIZED, ready(0)),
                        List.of(up(0), down(1, 60)),
                        "replica 1 has not loaded it"),
                new GateCase(
                        "one down for longer",
                        progress(POLICY_INITIALIZED, ready(0)),
                        List.of(up(0), down(1, 61)),
                        "open"),
                new GateCase(
                        "a failure counts even if the pod is down",
                        progress(POLICY_INITIALIZED, ready(0), report(1, BOOTSTRAP_LOAD_ERROR)),
                        List.of(up(0), down(1, 600)),
                        "replica 1 failed: BootstrapLoadError"),
                new GateCase(
                        "all down",
                        progress(POLICY_INITIALIZED),
                        List.of(down(0, 600), down(1, 600)),
                        "no replica has loaded it"),
                new GateCase(
                        "removed by scaling down",
                        progress(POLICY_INITIALIZED, ready(0), report(1, LOAD_ERROR)),
                        List.of(up(0)),
                        "open"),
                new GateCase("no replicas", progress(POLICY_INITIALIZED), List.of(), "no replica has loaded it"));
    }

    @ParameterizedTest
    @MethodSource("gate")
    void opensTheGateOnlyWhenAllReplicasHaveLoaded(GateCase row) {
        var decision = switch (Gate.decide(row.progress(), row.pods(), GRACE, false)) {
            case Gate.Decision.Open _ -> "open";
            case Gate.Decision.Closed closed -> closed.why();
        };
        assertThat(decision).isEqualTo(row.expected());
    }

    @Test
    void closesTheGateWhileADeploymentOfAnEarlierReleaseExists() {
        var progress = progress(POLICY_INITIALIZED, ready(0));

        assertThat(Gate.decide(progress, List.of(up(0)), GRACE, true))
                .isEqualTo(new Gate.Decision.Closed("the Deployment of an earlier release is still there"));
        assertThat(Gate.decide(progress, List.of(up(0)), GRACE, false)).isEqualTo(new Gate.Decision.Open());
    }

    // Webhooks that another client changed, or whose server is being deleted (E9, E17)

    private static List<Step> plan(Observed.WebhookView webhook) {
        return PolicyPlan.of(updated(webhook, RolloutProgress.none(2))).steps();
    }

    /** Returns a state in which generation 1 is served and a revision of generation 2 exists. */
    private static Observed updated(Observed.WebhookView webhook, RolloutProgress second) {
        var served = switched(1, new Revision.Switches(true, true, Optional.empty(), Optional.empty()));
        var next = new Revision.Switches(true, false, Optional.empty(), Optional.empty());
        return new Observed(
                new Observed.PolicyView(2, false, true, false, false, false),
                new Target.Present("server", 1, true),
                List.of(served, new Revision("revision 2", 2, next, false, PolicyMode.PROTECT, second)),
                webhook,
                List.of(up(0)),
                false,
                new Observed.Timing(NOW, Duration.ofSeconds(30), GRACE, 2));
    }

    private static Revision switched(long generation, Revision.Switches switches) {
        return new Revision(
                "revision " + generation,
                generation,
                switches,
                switches.active(),
                PolicyMode.PROTECT,
                RolloutProgress.none(generation));
    }

    @Test
    void repairsTheServedWebhookWhileTheNextOneIsRefused() {
        var loaded = progress(POLICY_INITIALIZED, ready(0));
        var intact = updated(new Observed.WebhookView(true, 1, true), loaded);
        var changed = updated(new Observed.WebhookView(true, 1, false), loaded);
        var removed = updated(Observed.WebhookView.ABSENT, loaded);

        assertThat(PolicyPlan.of(intact).steps()).contains(new Step.Register("revision 2"));
        assertThat(PolicyPlan.of(intact.refused()).steps()).isEmpty();
        assertThat(PolicyPlan.of(changed.refused()).steps()).containsExactly(new Step.Register("revision 1"));
        assertThat(PolicyPlan.of(removed.refused()).steps()).containsExactly(new Step.Register("revision 1"));
    }

    @Test
    void restoresAWebhookThatPointsAtNoRevision() {
        assertThat(plan(new Observed.WebhookView(true, 0, false))).containsExactly(new Step.Register("revision 1"));
        assertThat(plan(new Observed.WebhookView(true, 1, true))).isEmpty();
    }

    @Test
    void removesTheWebhookOfADeletedServerDuringAMove() {
        assertThat(plan(new Observed.WebhookView(true, 1, true, true)))
                .containsExactly(
                        new Step.Drain("revision 1", NOW.plusSeconds(30)),
                        new Step.Unregister(),
                        new Step.RemoveFinalizer());
    }

    // Rollback (E7)

    private static final String KEPT =
            "kept generations: 5 (present, never enforced), 4 (never enforced), 3, 2, 1 (monitor)";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "2         | PROTECT | to 2",
                "previous  | PROTECT | to 3",
                "1         | PROTECT | cannot roll back: revision 1 runs in monitor mode; " + KEPT,
                "1         | MONITOR | to 1",
                "4         | PROTECT | to 4",
                "5         | PROTECT | cannot roll back: generation 5 is the present one; " + KEPT,
                "9         | PROTECT | cannot roll back: no revision of generation 9 is kept; " + KEPT,
                "last      | PROTECT | cannot roll back: \"last\" is neither a generation nor \"previous\"; " + KEPT,
                "-1        | PROTECT | cannot roll back: \"-1\" is neither a generation nor \"previous\"; " + KEPT,
            })
    void rollsBackToARetainedRevision(String request, PolicyMode mode, String expected) {
        var retained = List.of(
                revision(1, true, PolicyMode.MONITOR),
                revision(2, true, PolicyMode.PROTECT),
                revision(3, true, PolicyMode.PROTECT),
                revision(4, false, PolicyMode.PROTECT),
                revision(5, false, PolicyMode.PROTECT));

        var decided = switch (Rollback.decide(request, 5, mode, candidates(retained))) {
            case Rollback.To(long target) -> "to " + target;
            case Rollback.Refused refused -> refused.message();
        };

        assertThat(decided).isEqualTo(expected);
    }

    @Test
    void refusesToRollBackWhenNoEarlierRevisionWasInUse() {
        assertThat(Rollback.decide(
                        "previous", 2, PolicyMode.PROTECT, candidates(List.of(revision(1, false, PolicyMode.PROTECT)))))
                .isEqualTo(new Rollback.Refused(
                        "cannot roll back: no earlier revision was ever in use; kept generations: 1 (never enforced)"));
        assertThat(Rollback.decide("previous", 1, PolicyMode.PROTECT, List.of()))
                .isEqualTo(new Rollback.Refused(
                        "cannot roll back: no earlier revision was ever in use; no generation is kept"));
    }

    @Test
    void aRefusedRollbackListsOnlyTheNewestGenerations() {
        var many = IntStream.rangeClosed(1, 25)
                .mapToObj(generation -> new Rollback.Candidate(generation, true, PolicyMode.PROTECT))
                .toList();

        assertThat(Rollback.decide("99", 25, PolicyMode.PROTECT, many))
                .isInstanceOfSatisfying(
                        Rollback.Refused.class,
                        refused -> assertThat(refused.message())
                                .contains("kept generations: 25 (present), 24, 23,")
                                .endsWith(", 7, 6 and 5 more"));
    }

    private static List<Rollback.Candidate> candidates(List<Revision> revisions) {
        return revisions.stream().map(Rollback.Candidate::of).toList();
    }

    @Test
    void rollbackDoesNotMoveThePolicyToAnotherServer() {
        var old = Samples.yaml("{policyServer: x, module: one}");

        assertThat(Rollback.restoredSpec(Samples.yaml("{policyServer: y, module: two}"), old))
                .isEqualTo(Samples.yaml("{policyServer: y, module: one}"));
        assertThat(Rollback.restoredSpec(Samples.yaml("{module: two}"), old)).isEqualTo(Samples.yaml("{module: one}"));
    }

    // History (E16)

    @ParameterizedTest
    @CsvSource({"0, '1,2,3,4'", "2, '1,2'", "10, ''"})
    void keepsTheNewestRevisionsOfTheHistory(int limit, String deleted) {
        var revisions = IntStream.rangeClosed(1, 4)
                .mapToObj(g -> disabled(g, true))
                .collect(Collectors.toCollection(ArrayList::new));
        revisions.add(revision(5, true, PolicyMode.PROTECT));
        revisions.add(disabled(6, false));

        assertThat(History.surplus(revisions, 6, limit).stream()
                        .map(revision -> Long.toString(revision.generation()))
                        .collect(Collectors.joining(",")))
                .isEqualTo(deleted);
    }

    @Test
    void keepsOnlyTheNewestRevisionThatWasNeverActivated() {
        var revisions = List.of(disabled(1, false), disabled(2, false), disabled(3, false));

        assertThat(History.surplus(revisions, 4, 10))
                .extracting(Revision::generation)
                .containsExactly(1L, 2L);
    }

    @Test
    void deletesExpiredRevisionsAndRevisionsWithoutPolicy() {
        assertThat(History.isExpired(expiring(1, Optional.empty()), false, NOW)).isFalse();
        assertThat(History.isExpired(expiring(2, Optional.empty()), true, NOW)).isTrue();
        assertThat(History.isExpired(expiring(3, Optional.of(NOW.plusSeconds(1))), true, NOW))
                .isFalse();
        assertThat(History.isExpired(expiring(4, Optional.of(NOW)), true, NOW)).isTrue();
    }

    // Retries (E4)

    @ParameterizedTest
    @EnumSource(Reason.class)
    void retriesEnvironmentFailuresAndTenancyViolations(Reason reason) {
        assertThat(RevisionBackoff.next(reason, 1, new Random(1)).isPresent())
                .isEqualTo(reason.fault() == Reason.Fault.ENVIRONMENT || reason == Reason.TENANCY_VIOLATION);
    }

    /** The interval is fixed, because an administrator may change the rules at any time and the check is cheap. */
    @Test
    void retriesTenancyViolationsAtAFixedInterval() {
        assertThat(RevisionBackoff.next(Reason.TENANCY_VIOLATION, 1_000, new Random(1)))
                .hasValueSatisfying(pause -> assertThat(pause.toSeconds()).isBetween(24L, 36L));
    }

    @ParameterizedTest
    @CsvSource({"1, 5", "2, 10", "3, 20", "6, 160", "7, 300", "1000, 300"})
    void backsOffUpToFiveMinutes(int failures, int seconds) {
        var random = new Random(1);
        for (int i = 0; i < 100; i++) {
            assertThat(RevisionBackoff.next(PULL_ERROR, failures, random).orElseThrow())
                    .isBetween(Duration.ofMillis(seconds * 800L), Duration.ofMillis(seconds * 1200L));
        }
    }

    // Replicas that are new, removed or not ready (E11–E14)

    record ReportCase(
            String name, boolean active, RolloutProgress progress, List<ReplicaPod> pods, List<Correction> expected) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<ReportCase> reports() {
        return Stream.of(
                new ReportCase(
                        "all replicas are ready",
                        true,
                        progress(POLICY_INITIALIZED, ready(0)),
                        List.of(up(0)),
                        List.of()),
                new ReportCase(
                        "E11 new replica of an active revision",
                        true,
                        progress(POLICY_INITIALIZED, ready(0)),
                        List.of(up(0), down(1, 1)),
                        List.of(new Correction.Unknown(1, WAITING_FOR_REPLICA))),
                new ReportCase(
                        "a revision that is being loaded gets no entry",
                        false,
                        progress(POLICY_INITIALIZED, ready(0)),
                        List.of(up(0), up(1)),
                        List.of()),
                new ReportCase(
                        "E12 replica removed by scaling down",
                        true,
                        progress(POLICY_INITIALIZED, ready(0), report(1, LOAD_ERROR)),
                        List.of(up(0)),
                        List.of(new Correction.Remove(1))),
                new ReportCase(
                        "E13 short restart changes nothing",
                        true,
                        progress(POLICY_INITIALIZED, ready(0)),
                        List.of(down(0, 10)),
                        List.of()),
                new ReportCase(
                        "E13 long restart is reported",
                        true,
                        progress(POLICY_INITIALIZED, ready(0)),
                        List.of(down(0, 11)),
                        List.of(new Correction.Unknown(0, REPLICA_NOT_READY))),
                new ReportCase(
                        "E14 another pod has replaced it",
                        true,
                        progress(POLICY_INITIALIZED, ready(0).reportedBy("old")),
                        List.of(up(0)),
                        List.of(new Correction.Unknown(0, REPLICA_NOT_READY))),
                new ReportCase(
                        "E14 a reported failure is kept",
                        true,
                        progress(POLICY_INITIALIZED, report(0, BOOTSTRAP_LOAD_ERROR)),
                        List.of(down(0, 600)),
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("reports")
    void correctsReportsOfReplicasThatCannotReport(ReportCase row) {
        var revision = new Revision(
                "r",
                2,
                new Revision.Switches(true, row.active(), Optional.empty(), Optional.empty()),
                row.active(),
                PolicyMode.PROTECT,
                row.progress());

        assertThat(ReplicaReports.corrections(revision, row.pods())).isEqualTo(row.expected());
    }

    // Deletion of a server (E9)

    @Test
    void serverDeletionWaitsForTheWebhooksOfItsPolicies() {
        assertThat(ServerDeletion.decide(List.of("b", "a"), Optional.empty(), NOW))
                .isEqualTo(new ServerDeletion.Waiting(
                        "waiting for the webhooks of these policies to be removed: a, b", Optional.empty()));
    }

    @Test
    void serverDeletionWaitsForTheDrainTime() {
        var until = NOW.plusSeconds(30);

        assertThat(ServerDeletion.decide(List.of(), Optional.of(until), NOW))
                .isEqualTo(new ServerDeletion.Waiting(
                        "webhooks are removed; answering late requests until 2026-01-01T00:00:30Z",
                        Optional.of(until)));
        assertThat(ServerDeletion.decide(List.of(), Optional.of(until), until)).isEqualTo(new ServerDeletion.Done());
        assertThat(ServerDeletion.decide(List.of(), Optional.empty(), NOW)).isEqualTo(new ServerDeletion.Done());
    }

    private static ReplicaPod up(int ordinal) {
        return new ReplicaPod(ordinal, Optional.of("pod-" + ordinal), Optional.empty());
    }

    private static ReplicaPod down(int ordinal, int seconds) {
        return new ReplicaPod(ordinal, Optional.of("pod-" + ordinal), Optional.of(Duration.ofSeconds(seconds)));
    }

    private static Condition ready(int replica) {
        return report(replica, POLICY_READY);
    }

    private static Condition report(int replica, Reason reason) {
        return Condition.ofReplica(2, replica, reason.status(), reason, "").reportedBy("pod-" + replica);
    }

    private static RolloutProgress progress(Reason initialized, Condition... reports) {
        var conditions = new ArrayList<>(List.of(reports));
        conditions.add(Condition.ofGeneration(ConditionType.INITIALIZED, 2, initialized.status(), initialized, ""));
        return RolloutProgress.of(2, conditions);
    }

    private static Revision revision(long generation, boolean wasActivated, PolicyMode mode) {
        return new Revision(
                "r" + generation,
                generation,
                new Revision.Switches(true, false, Optional.empty(), Optional.empty()),
                wasActivated,
                mode,
                RolloutProgress.none(generation));
    }

    private static Revision disabled(long generation, boolean wasActivated) {
        return new Revision(
                "r" + generation,
                generation,
                new Revision.Switches(false, false, Optional.empty(), Optional.empty()),
                wasActivated,
                PolicyMode.PROTECT,
                RolloutProgress.none(generation));
    }

    private static Revision expiring(long generation, Optional<Instant> deleteAfter) {
        return new Revision(
                "r" + generation,
                generation,
                new Revision.Switches(true, false, Optional.empty(), deleteAfter),
                true,
                PolicyMode.PROTECT,
                RolloutProgress.none(generation));
    }
}
