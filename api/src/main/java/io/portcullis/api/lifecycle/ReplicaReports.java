package io.portcullis.api.lifecycle;

import io.portcullis.api.condition.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Ready conditions that replicas cannot keep true themselves: of those that are new, gone or silent (E11–E14). A report
 * of failure is never covered up; the replica that made it clears it.
 */
public final class ReplicaReports {

    /** A restart within this time is not worth a status change. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private ReplicaReports() {}

    /** What the controller writes in a replica's stead. */
    public sealed interface Correction {

        int replica();

        /** Ready becomes Unknown for this reason. */
        record Unknown(int replica, Reason reason) implements Correction {}

        /** There is no such replica any more. */
        record Remove(int replica) implements Correction {}
    }

    /**
     * Corrections for one revision.
     *
     * @param pods one for each wanted replica
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
                .forEach(gone -> corrections.add(new Correction.Remove(gone)));
        return corrections;
    }
}
