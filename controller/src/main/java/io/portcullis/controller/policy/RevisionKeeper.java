package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionStatus.UNKNOWN;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.ReplicaPod;
import io.portcullis.api.lifecycle.ReplicaReports;
import io.portcullis.api.lifecycle.ReplicaReports.Correction;
import io.portcullis.api.lifecycle.Revision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts.Target;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
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

    private final RevisionWriter revisions;
    private final Servers servers;

    RevisionKeeper(RevisionWriter revisions, Servers servers) {
        this.revisions = revisions;
        this.servers = servers;
    }

    void keep(Observation world) {
        for (PolicyRevision revision : world.revisions()) {
            var counted = keepCounts(world, revision);
            var scheduled = keepScheduled(world, counted);
            keepReports(scheduled);
        }
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
                : (Integer) Revision.of(revision).progress().loadedBy(replicas);
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
        var reported = Revision.of(revision).progress().scheduled();
        return scheduled(world, revision, reported)
                .map(condition -> revisions.applyScheduled(revision, condition))
                .orElse(revision);
    }

    private static Optional<Condition> scheduled(
            Observation world, PolicyRevision revision, Optional<Condition> reported) {
        long generation = world.generation();
        var reason = reported.map(Condition::reason).orElse("");
        if (revision.getSpec().enabled()) {
            boolean isStale = reported.isEmpty() || NO_SERVER.contains(reason);
            return isStale && unusable(world.observed().target()).isEmpty()
                    ? Optional.of(Condition.ofGeneration(
                            SCHEDULED,
                            generation,
                            FALSE,
                            Reason.WAITING_FOR_POLICY_SERVER,
                            Messages.WAITING_FOR_POLICY_SERVER))
                    : Optional.empty();
        }
        // Not while it is still served for stragglers: its leader would object.
        return unusable(world.observed().target())
                .filter(why -> !why.wireName().equals(reason))
                .map(why -> Condition.ofGeneration(
                        SCHEDULED, generation, FALSE, why, "No PolicyServer can take the policy."));
    }

    private static Optional<Reason> unusable(Target target) {
        return switch (target) {
            case Target.Unnamed _ -> Optional.of(Reason.NO_POLICY_SERVER);
            case Target.Missing _ -> Optional.of(Reason.POLICY_SERVER_NOT_FOUND);
            case Target.Deleting _ -> Optional.of(Reason.POLICY_SERVER_DELETED);
            case Target.Present server ->
                server.replicas() == 0 ? Optional.of(Reason.POLICY_SERVER_SCALED_TO_ZERO) : Optional.empty();
        };
    }

    /** By the server that has the revision, which is another one than the policy names while it moves. */
    private void keepReports(PolicyRevision revision) {
        var server = servers.target(RevisionWriter.policyServer(revision));
        boolean isServed = server instanceof Target.Present;
        if (!isServed && revision.getSpec().enabled()) {
            return; // it is being drained by replicas that are on their way out
        }
        List<ReplicaPod> replicas = servers.replicas(server);
        var latest = revision;
        for (Correction correction : ReplicaReports.corrections(Revision.of(revision), replicas)) {
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
    }

    private static String message(Correction.Unknown unknown) {
        return unknown.reason() == Reason.WAITING_FOR_REPLICA
                ? "Replica " + unknown.replica() + " has not reported yet."
                : "Replica " + unknown.replica() + " is not ready, or was replaced and has not reported yet.";
    }
}
