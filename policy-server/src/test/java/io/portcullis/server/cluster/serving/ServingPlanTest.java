package io.portcullis.server.cluster.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.time.Pause;
import io.portcullis.server.cluster.serving.ServingPlan.Facts;
import io.portcullis.server.cluster.serving.ServingPlan.LoadFailure;
import io.portcullis.server.cluster.serving.ServingPlan.LoadState;
import io.portcullis.server.cluster.serving.ServingPlan.Report;
import io.portcullis.server.cluster.serving.ServingPlan.ReporterIdentity;
import io.portcullis.server.cluster.serving.ServingPlan.RevisionReadiness;
import io.portcullis.server.cluster.serving.ServingPlan.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ServingPlanTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final ReporterIdentity REPORTER = new ReporterIdentity(1, "uid-1");
    private static final Optional<Condition> UNREPORTED = Optional.empty();
    private static final Optional<LoadFailure> NO_FAILURE = Optional.empty();
    private static final String KEEP = "keep";
    private static final String CLEAR = "clear";

    private static Optional<Condition> reported(Reason reason, String message, String uid) {
        return Optional.of(
                Condition.ofReplica(7, 1, reason.status(), reason, message).reportedBy(uid));
    }

    private static Optional<Condition> ready() {
        return reported(Reason.POLICY_READY, Messages.POLICY_READY, "uid-1");
    }

    private static Optional<LoadFailure> loadFailure(int seconds) {
        return Optional.of(new LoadFailure(Reason.LOAD_ERROR, "broken", 1, Pause.of(NOW, Duration.ofSeconds(seconds))));
    }

    private static Facts facts(
            boolean wanted,
            boolean initialized,
            LoadState loadState,
            boolean loading,
            Optional<LoadFailure> loadFailure,
            Optional<Condition> reported,
            boolean booting) {
        return new Facts(7, wanted, initialized, loadState, loading, loadFailure, reported, booting);
    }

    static Stream<Arguments> table() {
        return Stream.of(
                row(
                        "new, not initialised",
                        facts(true, false, LoadState.NOT_LOADED, false, NO_FAILURE, UNREPORTED, false),
                        Work.NOTHING,
                        KEEP),
                row(
                        "new, initialised",
                        facts(true, true, LoadState.NOT_LOADED, false, NO_FAILURE, UNREPORTED, false),
                        Work.LOAD,
                        KEEP),
                row(
                        "loading",
                        facts(true, true, LoadState.NOT_LOADED, true, NO_FAILURE, UNREPORTED, false),
                        Work.NOTHING,
                        KEEP),
                row(
                        "just loaded",
                        facts(true, true, LoadState.CURRENT, false, NO_FAILURE, UNREPORTED, false),
                        Work.NOTHING,
                        "PolicyReady"),
                row(
                        "loaded and reported",
                        facts(true, true, LoadState.CURRENT, false, NO_FAILURE, ready(), false),
                        Work.NOTHING,
                        KEEP),
                row(
                        "reported by the previous pod",
                        facts(
                                true,
                                true,
                                LoadState.CURRENT,
                                false,
                                NO_FAILURE,
                                reported(Reason.POLICY_READY, Messages.POLICY_READY, "uid-0"),
                                false),
                        Work.NOTHING,
                        "PolicyReady"),
                row(
                        "the controller marked the replica as not ready",
                        facts(
                                true,
                                true,
                                LoadState.CURRENT,
                                false,
                                NO_FAILURE,
                                reported(Reason.REPLICA_NOT_READY, "", "uid-1"),
                                false),
                        Work.NOTHING,
                        "PolicyReady"),
                row(
                        "boot: an earlier process was ready",
                        facts(true, true, LoadState.NOT_LOADED, false, NO_FAILURE, ready(), true),
                        Work.LOAD,
                        "ReplicaStarting"),
                row(
                        "boot: nothing reported yet",
                        facts(true, true, LoadState.NOT_LOADED, false, NO_FAILURE, UNREPORTED, true),
                        Work.LOAD,
                        "ReplicaStarting"),
                row(
                        "boot: not initialised",
                        facts(true, false, LoadState.NOT_LOADED, false, NO_FAILURE, ready(), true),
                        Work.NOTHING,
                        "WaitingForInitialization"),
                row(
                        "failed, backoff not over",
                        facts(true, true, LoadState.NOT_LOADED, false, loadFailure(5), UNREPORTED, false),
                        Work.NOTHING,
                        "LoadError"),
                row(
                        "failed, retry due",
                        facts(
                                true,
                                true,
                                LoadState.NOT_LOADED,
                                false,
                                loadFailure(0),
                                reported(Reason.LOAD_ERROR, "broken", "uid-1"),
                                false),
                        Work.LOAD,
                        KEEP),
                row(
                        "other modules resolved",
                        facts(true, true, LoadState.OUTDATED, false, NO_FAILURE, ready(), false),
                        Work.LOAD,
                        KEEP),
                row(
                        "other modules do not load",
                        facts(true, true, LoadState.OUTDATED, false, loadFailure(5), ready(), false),
                        Work.NOTHING,
                        "LoadError"),
                row(
                        "disabled, loaded",
                        facts(false, true, LoadState.CURRENT, false, NO_FAILURE, ready(), false),
                        Work.UNLOAD,
                        KEEP),
                row(
                        "disabled, unloaded",
                        facts(false, true, LoadState.NOT_LOADED, false, NO_FAILURE, ready(), false),
                        Work.NOTHING,
                        CLEAR),
                row(
                        "disabled, condition removed",
                        facts(false, true, LoadState.NOT_LOADED, false, NO_FAILURE, UNREPORTED, false),
                        Work.NOTHING,
                        KEEP),
                row(
                        "disabled while booting",
                        facts(false, true, LoadState.NOT_LOADED, false, NO_FAILURE, UNREPORTED, true),
                        Work.NOTHING,
                        KEEP));
    }

    private static Arguments row(String name, Facts facts, Work work, String report) {
        return Arguments.of(name, facts, work, report);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void decides(String name, Facts facts, Work work, String report) {
        assertThat(ServingPlan.work(facts, NOW)).as(name).isEqualTo(work);
        assertThat(describe(ServingPlan.report(facts, REPORTER))).as(name).isEqualTo(report);
    }

    private static String describe(Report report) {
        return switch (report) {
            case Report.Keep() -> KEEP;
            case Report.Clear() -> CLEAR;
            case Report.Write(var condition) -> {
                assertThat(condition.reporterUID()).isEqualTo("uid-1");
                assertThat(condition.key()).isEqualTo(new Condition.Key("Ready", 7, 1));
                yield condition.reason();
            }
        };
    }

    @ParameterizedTest
    @CsvSource({
        // active, loaded, reportedReady, booting: ready
        "true,  true,  true,  true,  true",
        "true,  false, false, true,  false",
        "true,  false, false, false, false",
        "false, false, false, true,  true",
        "false, false, true,  true,  false",
        "false, false, true,  false, true",
        "false, true,  true,  true,  true",
    })
    void isCompleteWhenActiveAndReportedRevisionsAreLoaded(
            boolean active, boolean loaded, boolean reportedReady, boolean booting, boolean ready) {
        var wanted =
                List.of(new RevisionReadiness(true, true, true), new RevisionReadiness(active, loaded, reportedReady));

        assertThat(ServingPlan.isComplete(wanted, booting)).isEqualTo(ready);
    }
}
