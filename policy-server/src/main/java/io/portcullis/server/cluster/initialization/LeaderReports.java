package io.portcullis.server.cluster.initialization;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.revision.PolicyRevisionStatus.Leader;
import io.portcullis.artifacts.ArtifactException;
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
 * The leader's word on revisions. Every write says in which term it was made and on top of which version; one that is late
 * is read again, one of a term that is over is not made. Thread-safe.
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

    /** Says that we have it, unless that is said. What was initialised stays so; else that is under way. */
    void schedule(ObservedRevision revision, long term) throws InterruptedException {
        write(revision, term, now -> {
            if (now.scheduled().filter(Condition::isTrue).isPresent()) {
                return Optional.empty();
            }
            return Optional.of(now.initialized()
                    .filter(Condition::isTrue)
                    .map(kept -> slot(
                            now,
                            withVerified(kept, now.verified()),
                            now.status().artifacts(),
                            now.statement(),
                            term))
                    .orElseGet(() -> slot(now, List.of(underWay(now)), List.of(), Optional.empty(), term)));
        });
    }

    private static Condition underWay(ObservedRevision revision) {
        return Condition.ofGeneration(
                ConditionType.INITIALIZED,
                revision.generation(),
                ConditionStatus.UNKNOWN,
                Reason.INITIALIZING,
                Messages.INITIALIZING);
    }

    /** Reports how the initialisation ended, unless the status says so already. The modules are signed. */
    void conclude(ObservedRevision revision, InitializationOutcome outcome, long term) throws InterruptedException {
        var signed = sign(revision, outcome);
        write(revision, term, now -> {
            var condition = signed.outcome().condition(now.generation());
            var artifacts =
                    signed.outcome() instanceof InitializationOutcome.Done(var found) ? found : List.<Artifact>of();
            var isSaid = now.initialized()
                            .filter(said -> said.status() == condition.status()
                                    && said.reason().equals(condition.reason())
                                    && said.message().equals(condition.message()))
                            .isPresent()
                    && now.status().artifacts().equals(artifacts)
                    && (artifacts.isEmpty() || statements.isCurrent(now));
            return isSaid
                    ? Optional.empty()
                    : Optional.of(slot(now, List.of(condition), artifacts, signed.statement(), term));
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

    /** Signs the modules of an initialised revision again. The caller has checked them. */
    void renewStatement(ObservedRevision revision, long term) throws InterruptedException {
        var checked = revision.status().artifacts();
        var statement = statements.sign(revision, checked);
        write(
                revision,
                term,
                now -> now.initialized()
                        .filter(kept ->
                                kept.isTrue() && now.status().artifacts().equals(checked))
                        .map(kept ->
                                slot(now, withVerified(kept, now.verified()), checked, Optional.of(statement), term)));
    }

    /**
     * Reports whether the present verification config accepts an initialised revision. Writes only a change.
     *
     * @param refusal why it does not
     */
    void verified(ObservedRevision revision, Optional<String> refusal, long term) throws InterruptedException {
        var checked = revision.status().artifacts();
        write(revision, term, now -> {
            var wanted = refusal.map(cause -> Condition.ofGeneration(
                    ConditionType.VERIFIED,
                    now.generation(),
                    ConditionStatus.FALSE,
                    Reason.SIGNATURE_NOT_ACCEPTED,
                    Messages.SIGNATURE_NOT_ACCEPTED + " " + cause));
            if (now.verified().map(Condition::message).equals(wanted.map(Condition::message))) {
                return Optional.empty();
            }
            return now.initialized()
                    .filter(kept -> kept.isTrue() && now.status().artifacts().equals(checked))
                    .map(kept -> slot(now, withVerified(kept, wanted), checked, now.statement(), term));
        });
    }

    private static List<Condition> withVerified(Condition initialized, Optional<Condition> verified) {
        return verified.map(condition -> List.of(initialized, condition)).orElseGet(() -> List.of(initialized));
    }

    private LeaderSlot slot(
            ObservedRevision revision,
            List<Condition> further,
            List<Artifact> artifacts,
            Optional<String> statement,
            long term) {
        var scheduled = Condition.ofGeneration(
                ConditionType.SCHEDULED,
                revision.generation(),
                ConditionStatus.TRUE,
                Reason.POLICY_SCHEDULED,
                Messages.POLICY_SCHEDULED);
        var conditions = Stream.concat(Stream.of(scheduled), further.stream()).toList();
        return new LeaderSlot(conditions, artifacts, new Leader(identity, term, statement.orElse(null)));
    }

    private void write(ObservedRevision seen, long term, Function<ObservedRevision, Optional<LeaderSlot>> wanted)
            throws InterruptedException {
        // Without what we wrote a moment ago every second write would be refused as late.
        var revision = statuses.newest(seen);
        for (int attempt = 1; ; attempt++) {
            refuseIfOver(revision, term);
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

    private void refuseIfOver(ObservedRevision revision, long term) throws InterruptedException {
        tenure.sawTerm(revision.term());
        if (!tenure.isTerm(term)) {
            throw new InterruptedException("term " + term + " is over");
        }
    }
}
