package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import io.portcullis.process.leadership.Tenure;
import io.portcullis.server.CacheCertificates;
import io.portcullis.server.cluster.ManualClock;
import io.portcullis.server.cluster.StoredRevisions;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaderReportsTest {

    private static final String MODULE = "registry://registry.example/policy:v1";
    private static final List<Artifact> OURS = List.of(new Artifact(null, MODULE, "sha256:" + "a".repeat(64), 1));
    private static final List<Artifact> THEIRS = List.of(new Artifact(null, MODULE, "sha256:" + "b".repeat(64), 2));

    private final ManualClock clock = new ManualClock();
    private final Tenure tenure = new Tenure(clock::nanos);
    private final StoredRevisions stored = new StoredRevisions();
    private final RevisionStatements statements;
    private final LeaderReports reports;

    LeaderReportsTest(@TempDir Path directory) throws Exception {
        statements = CacheCertificates.in(directory, "s").statements("s", InstantSource.system());
        reports = new LeaderReports(stored, tenure, statements, "old");
    }

    private ObservedRevision reportOfOtherLeader(ObservedRevision revision, long term) {
        var done = Condition.ofGeneration(
                Reason.POLICY_INITIALIZED.type(),
                revision.generation(),
                Reason.POLICY_INITIALIZED.status(),
                Reason.POLICY_INITIALIZED,
                "");
        return stored.write(
                revision,
                new PolicyRevisionStatus(List.of(done), THEIRS, new Leader("new", term), null, null, null, null));
    }

    private PolicyRevisionStatus status(ObservedRevision revision) {
        return stored.read(revision.name()).orElseThrow().status();
    }

    /** Its state is from before the pause, and it has not read the lease since. */
    @Test
    void aPausedLeaderOverwritesNothingAndGivesUpItsTerm() {
        tenure.hold(1, clock.nanos());
        var observed = stored.create(1, MODULE);
        var after = reportOfOtherLeader(observed, 2).status();

        assertThatThrownBy(() -> reports.reportOutcome(observed, new InitializationOutcome.Done(OURS), 1))
                .isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> reports.reportScheduled(observed, 1)).isInstanceOf(InterruptedException.class);

        assertThat(status(observed)).isEqualTo(after);
        assertThat(tenure.term()).isEmpty();
    }

    @Test
    void reportsARejectedSignatureOnceKeepsTheReportAndRemovesItLater() throws Exception {
        tenure.hold(1, clock.nanos());
        var created = stored.create(1, MODULE);
        reports.reportOutcome(created, new InitializationOutcome.Done(OURS), 1);
        var revision = stored.read(created.name()).orElseThrow();

        reports.reportVerification(revision, Optional.of("no such key"), 1);
        assertThat(stored.read(revision.name())
                        .orElseThrow()
                        .verified()
                        .orElseThrow()
                        .message())
                .isEqualTo("It stays enforced, but the verification config of its PolicyServer does not accept it:"
                        + " no such key");
        assertThat(stored.read(revision.name()).orElseThrow().isInitialized()).isTrue();
        assertThat(status(revision).artifacts()).isEqualTo(OURS);

        stored.beforeNextWrite(() -> {
            throw new AssertionError("written twice");
        });
        reports.reportVerification(stored.read(revision.name()).orElseThrow(), Optional.of("no such key"), 1);
        stored.beforeNextWrite(() -> {});
        reports.renewStatement(stored.read(revision.name()).orElseThrow(), 1);
        assertThat(stored.conditions(revision)).contains("Verified-1=SignatureNotAccepted");

        reports.reportVerification(stored.read(revision.name()).orElseThrow(), Optional.empty(), 1);
        assertThat(stored.conditions(revision))
                .containsExactlyInAnyOrder("Scheduled-1=PolicyScheduled", "Initialized-1=PolicyInitialized");
    }

    @Test
    void doesNotWriteWhenTheRevisionHasALaterTerm() {
        tenure.hold(1, clock.nanos());
        var observed = reportOfOtherLeader(stored.create(1, MODULE), 2);
        stored.beforeNextWrite(() -> {
            throw new AssertionError("written");
        });

        assertThatThrownBy(() ->
                        reports.reportOutcome(observed, InitializationOutcome.failed(Reason.PULL_ERROR, "late"), 1))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void writesNothingWhenTheLeaseWasNotRenewedInTime() {
        tenure.hold(1, clock.nanos());
        var observed = stored.create(1, MODULE);
        clock.pass(Duration.ofSeconds(11));

        assertThatThrownBy(() -> reports.reportOutcome(observed, new InitializationOutcome.Done(OURS), 1))
                .isInstanceOf(InterruptedException.class);

        assertThat(status(observed).leader()).isNull();
    }

    @Test
    void repeatsAConflictingWriteOfTheCurrentTermOnTheNewestVersion() throws Exception {
        tenure.hold(2, clock.nanos());
        var observed = stored.create(1, MODULE);
        reportOfOtherLeader(observed, 1);

        reports.reportOutcome(observed, new InitializationOutcome.Done(OURS), 2);

        assertThat(status(observed).leader())
                .extracting(Leader::identity, Leader::term)
                .containsExactly("old", 2L);
        assertThat(status(observed).artifacts()).isEqualTo(OURS);
    }

    @Test
    void signsTheDigestsThatItReports() throws Exception {
        tenure.hold(1, clock.nanos());
        var observed = stored.create(1, MODULE);

        reports.reportOutcome(observed, new InitializationOutcome.Done(OURS), 1);

        assertThat(statements.problem(stored.read(observed.name()).orElseThrow()))
                .isEmpty();
    }

    @Test
    void renewsAStatementOnlyForTheDigestsThatWereChecked() throws Exception {
        tenure.hold(2, clock.nanos());
        var checked = reportOfOtherLeader(stored.create(1, MODULE), 1);
        stored.write(
                checked,
                new PolicyRevisionStatus(
                        checked.status().conditions(), OURS, checked.status().leader(), null, null, null, null));

        reports.renewStatement(checked, 2);
        assertThat(statements.problem(stored.read(checked.name()).orElseThrow()))
                .isPresent();

        reports.renewStatement(stored.read(checked.name()).orElseThrow(), 2);
        assertThat(statements.problem(stored.read(checked.name()).orElseThrow()))
                .isEmpty();
    }
}
