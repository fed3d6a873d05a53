package io.portcullis.server.cluster.initialization;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.process.leadership.Tenure;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import io.portcullis.server.cluster.revisions.RevisionStatuses;
import io.portcullis.server.cluster.revisions.RevisionStatuses.LeaderSlot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Writes the leader's slot in the status of revisions. Every write carries its lease term and the resource version that it
 * is based on. After a conflict it reads the revision again. It refuses to write in a term that is over. Thread-safe.
 */
public final class LeaderReports {

    private static final int ATTEMPTS = 6;
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final RevisionStatuses statuses;
    private final Tenure tenure;
    private final RevisionStatements statements;
    private final String identity;

    public LeaderReports(RevisionStatuses statuses, Tenure tenure, RevisionStatements statements, String identity) {
        this.statuses = statuses;
        this.tenure = tenure;
        this.statements = statements;
        this.identity = identity;
    }

    /**
     * Reports Scheduled, unless the status already says so. Keeps Initialized if it is true; otherwise reports that the
     * initialisation is in progress.
     */
    void reportScheduled(ObservedRevision revision, long term) throws InterruptedException {
        write(revision, term, current -> {
            if (current.scheduled().filter(Condition::isTrue).isPresent()) {
                return Optional.empty();
            }
            return Optional.of(current.initialized()
                    .filter(Condition::isTrue)
                    .map(kept -> slot(
                            current,
                            withVerified(kept, current.verified()),
                            current.status().artifacts(),
                            current.statement(),
                            term))
                    .orElseGet(() -> slot(current, List.of(initializing(current)), List.of(), Optional.empty(), term)));
        });
    }

    private static Condition initializing(ObservedRevision revision) {
        return Condition.ofGeneration(
                ConditionType.INITIALIZED,
                revision.generation(),
                ConditionStatus.UNKNOWN,
                Reason.INITIALIZING,
                Messages.INITIALIZING);
    }

    /** Signs the modules and reports the outcome of the initialisation, unless the status already contains it. */
    void reportOutcome(ObservedRevision revision, InitializationOutcome outcome, long term)
            throws InterruptedException {
        var signed = sign(revision, outcome);
        write(revision, term, current -> {
            var condition = signed.outcome().condition(current.generation());
            var artifacts =
                    signed.outcome() instanceof InitializationOutcome.Done(var found) ? found : List.<Artifact>of();
            var isReported = current.initialized()
                            .filter(reported -> reported.status() == condition.status()
                                    && reported.reason().equals(condition.reason())
                                    && reported.message().equals(condition.message()))
                            .isPresent()
                    && current.status().artifacts().equals(artifacts)
                    && (artifacts.isEmpty() || statements.isCurrent(current));
            return isReported
                    ? Optional.empty()
                    : Optional.of(slot(current, List.of(condition), artifacts, signed.statement(), term));
        });
    }

    private record Signed(InitializationOutcome outcome, Optional<String> statement) {}

    private Signed sign(ObservedRevision revision, InitializationOutcome outcome) {
        try {
            return outcome instanceof InitializationOutcome.Done(var artifacts)
                    ? new Signed(outcome, Optional.of(statements.sign(revision, artifacts)))
                    : new Signed(outcome, Optional.empty());
        } catch (ArtifactException e) {
            return new Signed(InitializationOutcome.of(e), Optional.empty());
        }
    }

    /** Signs the modules of an initialised revision again. The caller must have checked them. */
    void renewStatement(ObservedRevision revision, long term) throws InterruptedException {
        var checked = revision.status().artifacts();
        var statement = statements.sign(revision, checked);
        write(
                revision,
                term,
                current -> current.initialized()
                        .filter(kept ->
                                kept.isTrue() && current.status().artifacts().equals(checked))
                        .map(kept -> slot(
                                current,
                                withVerified(kept, current.verified()),
                                checked,
                                Optional.of(statement),
                                term)));
    }

    /**
     * Reports whether the current verification config accepts an initialised revision. Writes only changes.
     *
     * @param refusal why the config does not accept it; empty if it does
     */
    void reportVerification(ObservedRevision revision, Optional<String> refusal, long term)
            throws InterruptedException {
        var checked = revision.status().artifacts();
        write(revision, term, current -> {
            var wanted = refusal.map(cause -> Condition.ofGeneration(
                    ConditionType.VERIFIED,
                    current.generation(),
                    ConditionStatus.FALSE,
                    Reason.SIGNATURE_NOT_ACCEPTED,
                    Messages.SIGNATURE_NOT_ACCEPTED + " " + cause));
            if (current.verified().map(Condition::message).equals(wanted.map(Condition::message))) {
                return Optional.empty();
            }
            return current.initialized()
                    .filter(kept ->
                            kept.isTrue() && current.status().artifacts().equals(checked))
                    .map(kept -> slot(current, withVerified(kept, wanted), checked, current.statement(), term));
        });
    }

    private static List<Condition> withVerified(Condition initialized, Optional<Condition> verified) {
        return verified.map(condition -> List.of(initialized, condition)).orElseGet(() -> List.of(initialized));
    }

    private LeaderSlot slot(
            ObservedRevision revision,
            List<Condition> otherConditions,
            List<Artifact> artifacts,
            Optional<String> statement,
            long term) {
        var scheduled = Condition.ofGeneration(
                ConditionType.SCHEDULED,
                revision.generation(),
                ConditionStatus.TRUE,
                Reason.POLICY_SCHEDULED,
                Messages.POLICY_SCHEDULED);
        var conditions =
                Stream.concat(Stream.of(scheduled), otherConditions.stream()).toList();
        return new LeaderSlot(conditions, artifacts, new Leader(identity, term, statement.orElse(null)));
    }

    private void write(ObservedRevision observed, long term, Function<ObservedRevision, Optional<LeaderSlot>> wanted)
            throws InterruptedException {
        // Start from our own last write: the watched revision is older and would cause a conflict.
        var revision = statuses.newest(observed);
        for (int attempt = 1; ; attempt++) {
            throwIfTermIsOver(revision, term);
            var slot = wanted.apply(revision);
            if (slot.isEmpty()) {
                return;
            }
            try {
                statuses.writeLeader(revision, slot.get());
                return;
            } catch (KubernetesClientException e) {
                if (e.getCode() == 404) {
                    return;
                }
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                if (e.getCode() != 409) {
                    Thread.sleep(PAUSE.multipliedBy(attempt));
                }
            }
            var fresh = statuses.read(revision.name());
            if (fresh.isEmpty() || !fresh.get().isEnabled()) {
                return;
            }
            revision = fresh.get();
        }
    }

    private void throwIfTermIsOver(ObservedRevision revision, long term) throws InterruptedException {
        tenure.sawTerm(revision.term());
        if (!tenure.isTerm(term)) {
            throw new InterruptedException("term " + term + " is over");
        }
    }
}
