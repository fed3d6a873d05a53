package io.portcullis.api.lifecycle;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.status.RolloutProgress;
import java.time.Duration;
import java.util.List;

/**
 * Whether the webhook may move to a generation: it is initialised, every replica that gets traffic has loaded it, and
 * none has failed to. While pods of an earlier release get the traffic nothing moves: they know no generations. A replica that has long not been ready does not hold up everybody: it gets no traffic, and it will not become ready without this
 * generation once that is active.
 */
public final class Gate {

    private Gate() {}

    /** The answer. */
    public sealed interface Decision {

        record Open() implements Decision {}

        record Closed(String why) implements Decision {}
    }

    /**
     * Decides for one generation on one server.
     *
     * @param pods one for each wanted replica
     * @param grace how long a replica may be not ready before it no longer counts
     * @param hasPredecessor whether the workload of an earlier release, which the replicas replace, is still there
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

    /** Reported by the pod that runs now, not by one before it. */
    private static boolean hasLoaded(RolloutProgress progress, ReplicaPod pod) {
        var report = progress.ready().get(pod.ordinal());
        return report != null && report.isTrue() && isFrom(report, pod);
    }

    static boolean isFrom(Condition report, ReplicaPod pod) {
        return report.reporterUID() != null
                && pod.uid().filter(report.reporterUID()::equals).isPresent();
    }
}
