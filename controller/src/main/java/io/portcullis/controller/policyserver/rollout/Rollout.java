package io.portcullis.controller.policyserver.rollout;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The progress of the replicas towards the spec of the StatefulSet.
 *
 * @param isObserved whether the StatefulSet exists and its controller has observed the latest generation
 */
public record Rollout(boolean isObserved, int wanted, int existing, int updated, int ready) {

    public static Rollout of(Optional<StatefulSet> statefulSet) {
        if (statefulSet.isEmpty()) {
            return new Rollout(false, 0, 0, 0, 0);
        }
        var spec = statefulSet.get().getSpec();
        var status = Objects.requireNonNullElseGet(statefulSet.get().getStatus(), StatefulSetStatus::new);
        var generation = statefulSet.get().getMetadata().getGeneration();
        return new Rollout(
                status.getObservedGeneration() != null
                        && generation != null
                        && status.getObservedGeneration() >= generation,
                number(spec.getReplicas()),
                number(status.getReplicas()),
                number(status.getUpdatedReplicas()),
                number(status.getReadyReplicas()));
    }

    public boolean isRunning() {
        return !isObserved || existing != wanted || updated < wanted || ready < wanted;
    }

    public boolean isScaledToZero() {
        return isObserved && wanted == 0 && ready == 0;
    }

    /** The reason of the condition Available. */
    public String availability() {
        if (ready > 0) {
            return "ReplicasAvailable";
        }
        return isScaledToZero() ? "ScaledToZero" : "NoReplicaAvailable";
    }

    public String text() {
        return "%d of %d replicas ready, %d updated".formatted(ready, wanted, updated);
    }

    private static int number(@Nullable Integer value) {
        return value == null ? 0 : value;
    }
}
