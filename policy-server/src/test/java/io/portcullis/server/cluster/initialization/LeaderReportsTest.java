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

    private ObservedRevision successorConcludes(ObservedRevision revision, long term) {
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

    /** What it remembers is of before its pause, and the lease has not been asked since. */
    @Test
    void aPausedLeaderThatWakesOverwritesNothingAndLeadsNoMore() {
        tenure.hold(1, clock.nanos());
        var seen = stored.create(1, MODULE);
        var after = successorConcludes(seen, 2).status();

        assertThatThrownBy(() -> reports.reportOutcome(seen, new InitializationOutcome.Done(OURS), 1))
                .isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> reports.reportScheduled(seen, 1)).isInstanceOf(InterruptedException.class);

        assertThat(status(seen)).isEqualTo(after);
        assertThat(tenure.term()).isEmpty();
    }

    @Test
    void saysOnceThatASignatureIsNotAcceptedKeepsThatAndTakesItBack() throws Exception {
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
        assertThat(stored.said(revision)).contains("Verified-1=SignatureNotAccepted");

        reports.reportVerification(stored.read(revision.name()).orElseThrow(), Optional.empty(), 1);
        assertThat(stored.said(revision))
                .containsExactlyInAnyOrder("Scheduled-1=PolicyScheduled", "Initialized-1=PolicyInitialized");
    }

    @Test
    void itDoesNotEvenTryOnTopOfALaterTerm() {
        tenure.hold(1, clock.nanos());
        var seen = successorConcludes(stored.create(1, MODULE), 2);
        stored.beforeNextWrite(() -> {
            throw new AssertionError("written");
        });

        assertThatThrownBy(() -> reports.reportOutcome(seen, InitializationOutcome.failed(Reason.PULL_ERROR, "late"), 1))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void aLeaderThatCouldNotRenewInTimeWritesNothing() {
        tenure.hold(1, clock.nanos());
        var seen = stored.create(1, MODULE);
        clock.pass(Duration.ofSeconds(11));

        assertThatThrownBy(() -> reports.reportOutcome(seen, new InitializationOutcome.Done(OURS), 1))
                .isInstanceOf(InterruptedException.class);

        assertThat(status(seen).leader()).isNull();
    }

    @Test
    void aWriteThatIsLateInItsOwnTermIsMadeOnTopOfWhatIsThere() throws Exception {
        tenure.hold(2, clock.nanos());
        var seen = stored.create(1, MODULE);
        successorConcludes(seen, 1);

        reports.reportOutcome(seen, new InitializationOutcome.Done(OURS), 2);

        assertThat(status(seen).leader())
                .extracting(Leader::identity, Leader::term)
                .containsExactly("old", 2L);
        assertThat(status(seen).artifacts()).isEqualTo(OURS);
    }

    @Test
    void signsTheDigestsThatItReports() throws Exception {
        tenure.hold(1, clock.nanos());
        var seen = stored.create(1, MODULE);

        reports.reportOutcome(seen, new InitializationOutcome.Done(OURS), 1);

        assertThat(statements.problem(stored.read(seen.name()).orElseThrow())).isEmpty();
    }

    @Test
    void renewsAStatementOnlyForTheDigestsThatWereChecked() throws Exception {
        tenure.hold(2, clock.nanos());
        var checked = successorConcludes(stored.create(1, MODULE), 1);
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
