package io.portcullis.core.lifecycle;

import io.portcullis.api.condition.Condition;
import io.portcullis.core.status.RolloutProgress;
import java.time.Duration;
import java.util.List;

/**
 * Decides whether the webhook may move to a generation. The generation must be initialized, every replica that receives
 * traffic must have loaded it, and no replica may have failed to load it.
 *
 * <p>The gate stays closed while pods of an earlier release receive the traffic, because they do not support generations.
 * A replica that has not been ready for longer than the grace period does not block the rollout. It receives no traffic, and
 * once the generation is active, the replica cannot become ready without it.
 */
public final class Gate {

    private Gate() {}

    /** The decision of the gate. */
    public sealed interface Decision {

        record Open() implements Decision {}

        record Closed(String why) implements Decision {}
    }

    /**
     * Decides for one generation on one server.
     *
     * @param pods one entry per desired replica
     * @param grace how long a replica may be not ready before the gate ignores it
     * @param hasPredecessor whether the workload of an earlier release still exists; the replicas replace it
     */
    public static Decision decide(
            RolloutProgress progress, List<ReplicaPod> pods, Duration grace, boolean hasPredecessor) {
        if (hasPredecessor) {
            return new Decision.Closed("the Deployment of an earlier release is still there");
        }
        if (!progress.isInitialized()) {
            return new Decision.Closed("generation " + progress.generation() + " is not initialized");
        }
        var failure = progress.loadFailure(pods.size());
        if (failure.isPresent()) {
            return new Decision.Closed("replica " + failure.get().replica() + " failed: "
                    + failure.get().reason());
        }
        for (ReplicaPod pod : pods) {
            if (!hasLoaded(progress, pod) && !pod.hasBeenDownFor(grace)) {
                return new Decision.Closed("replica " + pod.ordinal() + " has not loaded it");
            }
        }
        return pods.stream().anyMatch(pod -> hasLoaded(progress, pod))
                ? new Decision.Open()
                : new Decision.Closed("no replica has loaded it");
    }

    /** Returns whether the current pod has reported the generation as loaded. Reports of earlier pods do not count. */
    private static boolean hasLoaded(RolloutProgress progress, ReplicaPod pod) {
        var report = progress.ready().get(pod.ordinal());
        return report != null && report.isTrue() && isFrom(report, pod);
    }

    static boolean isFrom(Condition report, ReplicaPod pod) {
        return report.reporterUID() != null
                && pod.uid().filter(report.reporterUID()::equals).isPresent();
    }
}
