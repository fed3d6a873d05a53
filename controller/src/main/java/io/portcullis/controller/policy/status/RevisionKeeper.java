package io.portcullis.controller.policy.status;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionStatus.UNKNOWN;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.policy.apply.RevisionWriter;
import io.portcullis.controller.policy.objects.RevisionReadings;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policy.observe.Observation;
import io.portcullis.core.lifecycle.ReplicaReports;
import io.portcullis.core.lifecycle.ReplicaReports.Correction;
import io.portcullis.core.status.Facts.Target;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the parts of revision status that leader and replicas cannot: before there is a leader, for replicas that
 * are new, gone or not reporting, and for times that only the controller observes.
 */
public final class RevisionKeeper {

    private static final Set<String> NO_SERVER = Set.of(
            Reason.NO_POLICY_SERVER.wireName(),
            Reason.POLICY_SERVER_NOT_FOUND.wireName(),
            Reason.POLICY_SERVER_DELETED.wireName(),
            Reason.POLICY_SERVER_SCALED_TO_ZERO.wireName());

    private static final Set<String> WAITING =
            Set.of(Reason.WAITING_FOR_POLICY_SERVER.wireName(), Reason.POLICY_SERVER_NOT_RUNNING.wireName());

    /** A running leader takes a revision within this time, so that "waiting for leader" would be a wasted write. */
    private static final Duration LEADER_RESPONSE_TIME = Duration.ofMillis(1500);

    /** How often to check for a leader while a revision waits. */
    private static final Duration LEADER_RECHECK = Duration.ofSeconds(10);

    private final RevisionWriter revisions;
    private final Servers servers;
    private final RevisionReadings readings;

    public RevisionKeeper(RevisionWriter revisions, Servers servers, RevisionReadings readings) {
        this.revisions = revisions;
        this.servers = servers;
        this.readings = readings;
    }

    /**
     * Updates the status of all revisions. Returns whether anything was written, so that the observation is now stale.
     */
    boolean keep(Observation observation) {
        boolean isChanged = false;
        for (PolicyRevision revision : observation.revisions()) {
            var counted = keepCounts(observation, revision);
            var scheduled = keepScheduled(observation, counted);
            isChanged |= !keepReports(observation, scheduled).equals(revision);
        }
        return isChanged;
    }

    private PolicyRevision keepCounts(Observation observation, PolicyRevision revision) {
        var spec = revision.getSpec();
        var status = revision.statusOrEmpty();
        var now = observation.observed().timing().now();
        var activatedAt = status.activatedAt() == null && spec.active() ? time(now) : status.activatedAt();
        var deactivatedAt = deactivatedAt(revision, now);
        boolean isCounted = spec.active() && observation.observed().target() instanceof Target.Present;
        Integer replicas = isCounted ? (Integer) observation.observed().pods().size() : null;
        Integer ready = replicas == null
                ? null
                : (Integer) readings.of(revision).progress().loadedBy(replicas);
        boolean isKept = Objects.equals(activatedAt, status.activatedAt())
                && Objects.equals(deactivatedAt, status.deactivatedAt())
                && Objects.equals(ready, status.readyReplicas())
                && Objects.equals(replicas, status.replicas());
        return isKept ? revision : revisions.applyCounts(revision, activatedAt, deactivatedAt, ready, replicas);
    }

    private static @Nullable String deactivatedAt(PolicyRevision revision, Instant now) {
        var status = revision.statusOrEmpty();
        if (revision.getSpec().active() || status.activatedAt() == null) {
            return null;
        }
        return status.deactivatedAt() == null && !revision.getSpec().enabled() ? time(now) : status.deactivatedAt();
    }

    private static String time(Instant now) {
        return now.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Sets Scheduled while an enabled revision waits for a leader, or the reason why no server can take it. */
    private PolicyRevision keepScheduled(Observation observation, PolicyRevision revision) {
        if (revision.getSpec().policyGeneration() != observation.generation()) {
            return revision;
        }
        var reported = readings.of(revision).progress().scheduled();
        return scheduled(observation, revision, reported)
                .map(condition -> revisions.applyScheduled(revision, condition))
                .orElse(revision);
    }

    private Optional<Condition> scheduled(
            Observation observation, PolicyRevision revision, Optional<Condition> reported) {
        long generation = observation.generation();
        var reason = reported.map(Condition::reason).orElse("");
        if (revision.getSpec().enabled()) {
            return observation.observed().target().unusable().isPresent()
                            || mayLeaderRespondSoon(observation, revision, reported)
                    ? Optional.empty()
                    : waitingCondition(revision, reason);
        }
        // Not while it is still draining, because its leader would overwrite the condition.
        return observation
                .observed()
                .target()
                .unusable()
                .filter(why -> !why.wireName().equals(reason))
                .map(why -> Condition.ofGeneration(
                        SCHEDULED, generation, FALSE, why, "No PolicyServer can take the policy."));
    }

    private static boolean mayLeaderRespondSoon(
            Observation observation, PolicyRevision revision, Optional<Condition> reported) {
        var age = Duration.between(
                created(revision), observation.observed().timing().now());
        return reported.isEmpty() && age.abs().compareTo(LEADER_RESPONSE_TIME) < 0; // clocks may differ
    }

    private static Instant created(PolicyRevision revision) {
        return Instant.parse(revision.getMetadata().getCreationTimestamp());
    }

    /**
     * The condition that the revision waits for a leader, or that there is none. Empty if that is already reported or a
     * leader has reported.
     */
    private Optional<Condition> waitingCondition(PolicyRevision revision, String reason) {
        boolean isOurs = reason.isEmpty() || NO_SERVER.contains(reason) || WAITING.contains(reason);
        var server = revision.policyServer();
        boolean isLeaderless = servers.isLeaderless(server, created(revision));
        var now = isLeaderless ? Reason.POLICY_SERVER_NOT_RUNNING : Reason.WAITING_FOR_POLICY_SERVER;
        var message = isLeaderless
                ? "No replica of PolicyServer " + server + " is running that could take the policy."
                : Messages.WAITING_FOR_POLICY_SERVER;
        return isOurs && !now.wireName().equals(reason)
                ? Optional.of(
                        Condition.ofGeneration(SCHEDULED, revision.getSpec().policyGeneration(), FALSE, now, message))
                : Optional.empty();
    }

    /** When to check again for a leader. */
    public static Optional<Duration> recheck(Observation observation) {
        return observation
                .revision(observation.generation())
                .filter(revision -> revision.getSpec().enabled()
                        && observation.observed().target().unusable().isEmpty())
                .flatMap(revision -> {
                    var reported = observation
                            .read(observation.generation())
                            .orElseThrow()
                            .progress()
                            .scheduled();
                    if (reported.filter(Condition::isTrue).isPresent()) {
                        return Optional.empty();
                    }
                    return Optional.of(
                            mayLeaderRespondSoon(observation, revision, reported)
                                    ? Duration.between(
                                            observation.observed().timing().now(),
                                            created(revision).plus(LEADER_RESPONSE_TIME))
                                    : LEADER_RECHECK);
                });
    }

    /**
     * Corrects replica reports by the server that serves the revision. While a policy moves, this differs from the
     * server in its spec.
     */
    private PolicyRevision keepReports(Observation observation, PolicyRevision revision) {
        var read = readings.of(revision);
        if (!read.isEnabled() && read.progress().ready().isEmpty()) {
            return revision; // no replica serves it, and none reports on it
        }
        var name = revision.policyServer();
        var target = observation.observed().target();
        boolean isAtTarget =
                target instanceof Target.Present present && present.name().equals(name);
        var server = isAtTarget ? target : servers.target(name);
        boolean isServed = server instanceof Target.Present;
        if (!isServed && read.isEnabled()) {
            return revision; // replicas that are shutting down still drain it
        }
        var replicas = isAtTarget ? observation.observed().pods() : servers.replicas(server);
        var latest = revision;
        for (Correction correction : ReplicaReports.corrections(read, replicas)) {
            latest = switch (correction) {
                case Correction.Unknown unknown ->
                    revisions.applyReady(
                            latest,
                            Condition.ofReplica(
                                    revision.getSpec().policyGeneration(),
                                    unknown.replica(),
                                    UNKNOWN,
                                    unknown.reason(),
                                    message(unknown)));
                case Correction.Remove remove -> revisions.clearReady(latest, remove.replica());
            };
        }
        return latest;
    }

    private static String message(Correction.Unknown unknown) {
        return unknown.reason() == Reason.WAITING_FOR_REPLICA
                ? "Replica " + unknown.replica() + " has not reported yet."
                : "Replica " + unknown.replica() + " is not ready, or was replaced and has not reported yet.";
    }
}
