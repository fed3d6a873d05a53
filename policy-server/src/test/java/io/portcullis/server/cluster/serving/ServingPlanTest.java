package io.portcullis.server.cluster.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.Pause;
import io.portcullis.server.cluster.serving.ServingPlan.Facts;
import io.portcullis.server.cluster.serving.ServingPlan.Held;
import io.portcullis.server.cluster.serving.ServingPlan.LoadFailure;
import io.portcullis.server.cluster.serving.ServingPlan.Report;
import io.portcullis.server.cluster.serving.ServingPlan.Speaker;
import io.portcullis.server.cluster.serving.ServingPlan.Standing;
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
    private static final Speaker US = new Speaker(1, "uid-1");
    private static final Optional<Condition> SILENT = Optional.empty();
    private static final Optional<LoadFailure> NO_MISHAP = Optional.empty();
    private static final String KEEP = "keep";
    private static final String EMPTY = "empty";

    private static Optional<Condition> said(Reason reason, String message, String uid) {
        return Optional.of(
                Condition.ofReplica(7, 1, reason.status(), reason, message).reportedBy(uid));
    }

    private static Optional<Condition> ready() {
        return said(Reason.POLICY_READY, Messages.POLICY_READY, "uid-1");
    }

    private static Optional<LoadFailure> loadFailure(int seconds) {
        return Optional.of(new LoadFailure(Reason.LOAD_ERROR, "broken", 1, Pause.of(NOW, Duration.ofSeconds(seconds))));
    }

    private static Facts facts(
            boolean wanted,
            boolean initialized,
            Held held,
            boolean loading,
            Optional<LoadFailure> loadFailure,
            Optional<Condition> said,
            boolean booting) {
        return new Facts(7, wanted, initialized, held, loading, loadFailure, said, booting);
    }

    static Stream<Arguments> table() {
        return Stream.of(
                row(
                        "new, the leader works",
                        facts(true, false, Held.NOTHING, false, NO_MISHAP, SILENT, false),
                        Work.NOTHING,
                        KEEP),
                row(
                        "new, initialised",
                        facts(true, true, Held.NOTHING, false, NO_MISHAP, SILENT, false),
                        Work.LOAD,
                        KEEP),
                row("loading", facts(true, true, Held.NOTHING, true, NO_MISHAP, SILENT, false), Work.NOTHING, KEEP),
                row(
                        "just loaded",
                        facts(true, true, Held.EXACTLY, false, NO_MISHAP, SILENT, false),
                        Work.NOTHING,
                        "PolicyReady"),
                row(
                        "loaded and said",
                        facts(true, true, Held.EXACTLY, false, NO_MISHAP, ready(), false),
                        Work.NOTHING,
                        KEEP),
                row(
                        "said by the pod before us",
                        facts(
                                true,
                                true,
                                Held.EXACTLY,
                                false,
                                NO_MISHAP,
                                said(Reason.POLICY_READY, Messages.POLICY_READY, "uid-0"),
                                false),
                        Work.NOTHING,
                        "PolicyReady"),
                row(
                        "the controller doubted us",
                        facts(
                                true,
                                true,
                                Held.EXACTLY,
                                false,
                                NO_MISHAP,
                                said(Reason.REPLICA_NOT_READY, "", "uid-1"),
                                false),
                        Work.NOTHING,
                        "PolicyReady"),
                row(
                        "boot: an old process was ready",
                        facts(true, true, Held.NOTHING, false, NO_MISHAP, ready(), true),
                        Work.LOAD,
                        "ReplicaStarting"),
                row(
                        "boot: nothing said yet",
                        facts(true, true, Held.NOTHING, false, NO_MISHAP, SILENT, true),
                        Work.LOAD,
                        "ReplicaStarting"),
                row(
                        "boot: not initialised",
                        facts(true, false, Held.NOTHING, false, NO_MISHAP, ready(), true),
                        Work.NOTHING,
                        "WaitingForInitialization"),
                row(
                        "failed, too early",
                        facts(true, true, Held.NOTHING, false, loadFailure(5), SILENT, false),
                        Work.NOTHING,
                        "LoadError"),
                row(
                        "failed, due",
                        facts(
                                true,
                                true,
                                Held.NOTHING,
                                false,
                                loadFailure(0),
                                said(Reason.LOAD_ERROR, "broken", "uid-1"),
                                false),
                        Work.LOAD,
                        KEEP),
                row(
                        "other modules resolved",
                        facts(true, true, Held.OUTDATED, false, NO_MISHAP, ready(), false),
                        Work.LOAD,
                        KEEP),
                row(
                        "other modules do not load",
                        facts(true, true, Held.OUTDATED, false, loadFailure(5), ready(), false),
                        Work.NOTHING,
                        "LoadError"),
                row(
                        "disabled, loaded",
                        facts(false, true, Held.EXACTLY, false, NO_MISHAP, ready(), false),
                        Work.UNLOAD,
                        KEEP),
                row(
                        "disabled, unloaded",
                        facts(false, true, Held.NOTHING, false, NO_MISHAP, ready(), false),
                        Work.NOTHING,
                        EMPTY),
                row(
                        "disabled, all said",
                        facts(false, true, Held.NOTHING, false, NO_MISHAP, SILENT, false),
                        Work.NOTHING,
                        KEEP),
                row(
                        "disabled while booting",
                        facts(false, true, Held.NOTHING, false, NO_MISHAP, SILENT, true),
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
        assertThat(told(ServingPlan.report(facts, US))).as(name).isEqualTo(report);
    }

    private static String told(Report report) {
        return switch (report) {
            case Report.Keep() -> KEEP;
            case Report.Empty() -> EMPTY;
            case Report.Say(var condition) -> {
                assertThat(condition.reporterUID()).isEqualTo("uid-1");
                assertThat(condition.key()).isEqualTo(new Condition.Key("Ready", 7, 1));
                yield condition.reason();
            }
        };
    }

    @ParameterizedTest
    @CsvSource({
        // active, held, claimed, booting: ready
        "true,  true,  true,  true,  true",
        "true,  false, false, true,  false",
        "true,  false, false, false, false",
        "false, false, false, true,  true",
        "false, false, true,  true,  false",
        "false, false, true,  false, true",
        "false, true,  true,  true,  true",
    })
    void isReadyWithAllThatWebhooksReferToOrMayOnItsWord(
            boolean active, boolean held, boolean claimed, boolean booting, boolean ready) {
        var wanted = List.of(new Standing(true, true, true), new Standing(active, held, claimed));

        assertThat(ServingPlan.isComplete(wanted, booting)).isEqualTo(ready);
    }
}
