package io.portcullis.server.cluster.serving;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.time.Pause;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * Decides what one replica does next for one revision, and what it reports. A failed load never unloads a loaded revision.
 */
final class ServingPlan {

    private ServingPlan() {}

    /** The next action. */
    enum Work {
        NOTHING,
        LOAD,
        UNLOAD
    }

    /** The change to the condition in this replica's status slot. */
    sealed interface Report {

        /** Leaves the slot unchanged. */
        record Keep() implements Report {}

        record Write(Condition condition) implements Report {}

        /** Removes the condition, because this replica no longer serves the revision. */
        record Clear() implements Report {}
    }

    /** The cause of the last failed load, and the backoff before the next attempt. */
    record LoadFailure(Reason reason, String message, int failures, Pause pause) {

        /**
         * Whether the module caused the failure. Then the replica serves the other policies instead of restarting, because
         * the module fails in every new process too.
         */
        boolean isCausedByModule() {
            return reason == Reason.PREPARATION_FAILED;
        }
    }

    /** Compares the loaded content with the wanted content. */
    enum LoadState {
        NOT_LOADED,
        /** The leader has resolved other modules since the load. */
        OUTDATED,
        CURRENT
    }

    /** Identifies the replica and the pod that reports. */
    record ReporterIdentity(int replica, String podUid) {}

    /**
     * The state of a revision as this replica observes it.
     *
     * @param wanted the revision is enabled, and no younger revision has the same address
     * @param initialized the leader has initialised it
     * @param loading a task of this replica is loading it
     * @param reported the stored condition in this replica's slot
     * @param booting this replica has not been ready yet, so an earlier process may have written the stored condition
     */
    record Facts(
            long generation,
            boolean wanted,
            boolean initialized,
            LoadState loadState,
            boolean loading,
            Optional<LoadFailure> loadFailure,
            Optional<Condition> reported,
            boolean booting) {}

    /**
     * The state of a wanted revision that counts for the readiness of the replica.
     *
     * @param active a webhook calls the revision
     * @param reportedReady the stored condition says that this replica is ready to serve it
     */
    record RevisionReadiness(boolean active, boolean loaded, boolean reportedReady) {

        /** Excludes a revision whose module cannot be prepared: it must not block the readiness of other policies. */
        RevisionReadiness excludedIfUnpreparable(boolean unpreparable) {
            return unpreparable ? new RevisionReadiness(false, loaded, false) : this;
        }
    }

    /**
     * Whether the replica may receive requests. Every revision that a webhook calls must be loaded. While booting, every
     * revision that an earlier process reported Ready must be loaded too, because the controller may move a webhook to it.
     */
    static boolean isComplete(Collection<RevisionReadiness> wanted, boolean booting) {
        return wanted.stream()
                .allMatch(
                        revision -> revision.loaded() || !(revision.active() || (booting && revision.reportedReady())));
    }

    static Work work(Facts facts, Instant now) {
        if (!facts.wanted()) {
            return facts.loadState() == LoadState.NOT_LOADED ? Work.NOTHING : Work.UNLOAD;
        }
        var mayLoad = facts.initialized()
                && !facts.loading()
                && facts.loadFailure().filter(last -> !last.pause().isOver(now)).isEmpty();
        return facts.loadState() != LoadState.CURRENT && mayLoad ? Work.LOAD : Work.NOTHING;
    }

    /** Decides the report. Call after the work is done and the routing table is published. */
    static Report report(Facts facts, ReporterIdentity reporter) {
        if (!facts.wanted()) {
            // Unload before removing the condition.
            return facts.loadState() == LoadState.NOT_LOADED && facts.reported().isPresent()
                    ? new Report.Clear()
                    : new Report.Keep();
        }
        if (facts.loadState() == LoadState.CURRENT) {
            return writeIfChanged(facts, reporter, Reason.POLICY_READY, Messages.POLICY_READY);
        }
        if (facts.loadFailure().isPresent()) {
            return writeIfChanged(
                    facts,
                    reporter,
                    facts.loadFailure().get().reason(),
                    facts.loadFailure().get().message());
        }
        if (facts.loadState() == LoadState.OUTDATED) {
            return new Report.Keep();
        }
        // Do not report "not loaded" for new revisions. Do correct a stale report.
        var isUnreported = facts.reported().isEmpty();
        var isUnknown = facts.reported()
                .filter(reported -> reported.status() == ConditionStatus.UNKNOWN)
                .isPresent();
        if (!facts.booting() && (isUnreported || isUnknown)) {
            return new Report.Keep();
        }
        return facts.initialized()
                ? writeIfChanged(facts, reporter, Reason.REPLICA_STARTING, "The replica is starting.")
                : writeIfChanged(
                        facts, reporter, Reason.WAITING_FOR_INITIALIZATION, "The policy is not initialized yet.");
    }

    private static Report writeIfChanged(Facts facts, ReporterIdentity reporter, Reason reason, String message) {
        var condition = Condition.ofReplica(facts.generation(), reporter.replica(), reason.status(), reason, message)
                .reportedBy(reporter.podUid());
        return facts.reported().filter(reported -> isSame(reported, condition)).isPresent()
                ? new Report.Keep()
                : new Report.Write(condition);
    }

    private static boolean isSame(Condition reported, Condition wanted) {
        return reported.status() == wanted.status()
                && reported.reason().equals(wanted.reason())
                && reported.message().equals(wanted.message())
                && String.valueOf(wanted.reporterUID()).equals(reported.reporterUID());
    }
}
