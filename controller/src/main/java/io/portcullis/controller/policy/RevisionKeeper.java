package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionStatus.UNKNOWN;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.ReplicaReports;
import io.portcullis.api.lifecycle.ReplicaReports.Correction;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts.Target;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the status of revisions true where leader and replicas cannot: before there is a leader, for replicas that are
 * new, gone or silent, and for the times that only the controller knows.
 */
final class RevisionKeeper {

    private static final Set<String> NO_SERVER = Set.of(
            Reason.NO_POLICY_SERVER.wireName(),
            Reason.POLICY_SERVER_NOT_FOUND.wireName(),
            Reason.POLICY_SERVER_DELETED.wireName(),
            Reason.POLICY_SERVER_SCALED_TO_ZERO.wireName());

    private static final Set<String> WAITING =
            Set.of(Reason.WAITING_FOR_POLICY_SERVER.wireName(), Reason.POLICY_SERVER_NOT_RUNNING.wireName());

    /** A leader that is there takes a revision sooner; saying that one is awaited would cost a write for nothing. */
    private static final Duration LEADER_AT_HAND = Duration.ofMillis(1500);

    /** Whether somebody leads the server is looked at so often while a revision waits. */
    private static final Duration WHILE_WAITING = Duration.ofSeconds(10);

    private final RevisionWriter revisions;
    private final Servers servers;
    private final RevisionReadings readings;

    RevisionKeeper(RevisionWriter revisions, Servers servers, RevisionReadings readings) {
        this.revisions = revisions;
        this.servers = servers;
        this.readings = readings;
    }

    /** Whether there was something to write: what was observed is then no longer so. */
    boolean keep(Observation world) {
        boolean isOtherwise = false;
        for (PolicyRevision revision : world.revisions()) {
            var counted = keepCounts(world, revision);
            var scheduled = keepScheduled(world, counted);
            isOtherwise |= !keepReports(world, scheduled).equals(revision);
        }
        return isOtherwise;
    }

    private PolicyRevision keepCounts(Observation world, PolicyRevision revision) {
        var spec = revision.getSpec();
        var status = RevisionWriter.status(revision);
        var now = world.observed().timing().now();
        var activatedAt = status.activatedAt() == null && spec.active() ? time(now) : status.activatedAt();
        var deactivatedAt = deactivatedAt(revision, now);
        boolean isCounted = spec.active() && world.observed().target() instanceof Target.Present;
        Integer replicas = isCounted ? (Integer) world.observed().pods().size() : null;
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
        var status = RevisionWriter.status(revision);
        if (revision.getSpec().active() || status.activatedAt() == null) {
            return null;
        }
        return status.deactivatedAt() == null && !revision.getSpec().enabled() ? time(now) : status.deactivatedAt();
    }

    private static String time(Instant now) {
        return now.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** A revision that is to be served waits for a leader; one that nobody can serve says why. */
    private PolicyRevision keepScheduled(Observation world, PolicyRevision revision) {
        if (revision.getSpec().policyGeneration() != world.generation()) {
            return revision;
        }
        var reported = readings.of(revision).progress().scheduled();
        return scheduled(world, revision, reported)
                .map(condition -> revisions.applyScheduled(revision, condition))
                .orElse(revision);
    }

    private Optional<Condition> scheduled(Observation world, PolicyRevision revision, Optional<Condition> reported) {
        long generation = world.generation();
        var reason = reported.map(Condition::reason).orElse("");
        if (revision.getSpec().enabled()) {
            return unusable(world.observed().target()).isPresent() || isLeaderAtHand(world, revision, reported)
                    ? Optional.empty()
                    : awaited(revision, reason);
        }
        // Not while it is still served for stragglers: its leader would object.
        return unusable(world.observed().target())
                .filter(why -> !why.wireName().equals(reason))
                .map(why -> Condition.ofGeneration(
                        SCHEDULED, generation, FALSE, why, "No PolicyServer can take the policy."));
    }

    private static boolean isLeaderAtHand(Observation world, PolicyRevision revision, Optional<Condition> reported) {
        var age = Duration.between(created(revision), world.observed().timing().now());
        return reported.isEmpty() && age.abs().compareTo(LEADER_AT_HAND) < 0; // clocks may differ
    }

    private static Instant created(PolicyRevision revision) {
        return Instant.parse(revision.getMetadata().getCreationTimestamp());
    }

    /** That a leader is awaited, or that there is none, unless that was said or a leader has spoken. */
    private Optional<Condition> awaited(PolicyRevision revision, String reason) {
        boolean isOurs = reason.isEmpty() || NO_SERVER.contains(reason) || WAITING.contains(reason);
        var server = RevisionWriter.policyServer(revision);
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

    /** When to look again whether a leader has come or gone. */
    static Optional<Duration> recheck(Observation world) {
        return world.revision(world.generation())
                .filter(revision -> revision.getSpec().enabled()
                        && unusable(world.observed().target()).isEmpty())
                .flatMap(revision -> {
                    var reported = world.read(world.generation())
                            .orElseThrow()
                            .progress()
                            .scheduled();
                    if (reported.filter(Condition::isTrue).isPresent()) {
                        return Optional.empty();
                    }
                    return Optional.of(
                            isLeaderAtHand(world, revision, reported)
                                    ? Duration.between(
                                            world.observed().timing().now(),
                                            created(revision).plus(LEADER_AT_HAND))
                                    : WHILE_WAITING);
                });
    }

    private static Optional<Reason> unusable(Target target) {
        return switch (target) {
            case Target.Unnamed _ -> Optional.of(Reason.NO_POLICY_SERVER);
            case Target.Missing _ -> Optional.of(Reason.POLICY_SERVER_NOT_FOUND);
            case Target.Deleting _ -> Optional.of(Reason.POLICY_SERVER_DELETED);
            case Target.Uninstalled _ -> Optional.of(Reason.UNINSTALLED);
            case Target.Present server ->
                server.replicas() == 0 ? Optional.of(Reason.POLICY_SERVER_SCALED_TO_ZERO) : Optional.empty();
        };
    }

    /** By the server that has the revision, which is another one than the policy names while it moves. */
    private PolicyRevision keepReports(Observation world, PolicyRevision revision) {
        var read = readings.of(revision);
        if (!read.isEnabled() && read.progress().ready().isEmpty()) {
            return revision; // nobody serves it, and nobody says so
        }
        var name = RevisionWriter.policyServer(revision);
        var target = world.observed().target();
        boolean isAtTarget =
                target instanceof Target.Present present && present.name().equals(name);
        var server = isAtTarget ? target : servers.target(name);
        boolean isServed = server instanceof Target.Present;
        if (!isServed && read.isEnabled()) {
            return revision; // it is being drained by replicas that are on their way out
        }
        var replicas = isAtTarget ? world.observed().pods() : servers.replicas(server);
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
