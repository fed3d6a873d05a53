package io.portcullis.core.lifecycle;

import io.portcullis.api.condition.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Corrects Ready conditions of replicas that are new, removed or not ready and so cannot report themselves (E11–E14). A
 * reported failure is never overwritten; the replica that reported it clears it.
 */
public final class ReplicaReports {

    /** A replica that restarts within this time causes no status change. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private ReplicaReports() {}

    /** A condition change that the controller writes on behalf of a replica. */
    public sealed interface Correction {

        int replica();

        /** Set Ready to Unknown with this reason. */
        record Unknown(int replica, Reason reason) implements Correction {}

        /** Remove the condition, because the replica no longer exists. */
        record Remove(int replica) implements Correction {}
    }

    /**
     * Returns the corrections for one revision.
     *
     * @param pods one entry per desired replica
     */
    public static List<Correction> corrections(Revision revision, List<ReplicaPod> pods) {
        var corrections = new ArrayList<Correction>();
        if (revision.isEnabled()) {
            for (ReplicaPod pod : pods) {
                var report = revision.progress().ready().get(pod.ordinal());
                if (report == null) {
                    if (revision.switches().active()) {
                        corrections.add(new Correction.Unknown(pod.ordinal(), Reason.WAITING_FOR_REPLICA));
                    }
                } else if (report.isTrue()
                        && (pod.hasBeenDownFor(PATIENCE) || (pod.isReady() && !Gate.isFrom(report, pod)))) {
                    corrections.add(new Correction.Unknown(pod.ordinal(), Reason.REPLICA_NOT_READY));
                }
            }
        }
        revision.progress()
                .ready()
                .tailMap(pods.size())
                .keySet()
                .forEach(removed -> corrections.add(new Correction.Remove(removed)));
        return corrections;
    }
}
