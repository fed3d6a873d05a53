package io.portcullis.controller.policyserver.rollout;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Pods of a deleted StatefulSet that are still terminating. A new StatefulSet of the same name needs their names.
 * Kubernetes would fail to create them, with a backoff of up to a quarter of an hour.
 */
public final class FormerPods {

    /** A pod that exists for this long after its deadline is on a lost node; do not wait for it. */
    private static final Duration OVERDUE = Duration.ofSeconds(30);

    private FormerPods() {}

    /**
     * The names of these pods.
     *
     * @param statefulSet which does not exist; a new one adopts pods without an owner
     */
    public static List<String> of(String statefulSet, Collection<Pod> pods, Instant now) {
        return pods.stream()
                .filter(pod -> pod.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> isStatefulSet(owner, statefulSet)))
                .filter(pod -> !isOverdue(pod, now))
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .toList();
    }

    /** The deletion timestamp already includes the grace period. */
    private static boolean isOverdue(Pod pod, Instant now) {
        var gone = pod.getMetadata().getDeletionTimestamp();
        return gone != null && now.isAfter(Instant.parse(gone).plus(OVERDUE));
    }

    private static boolean isStatefulSet(OwnerReference owner, String name) {
        return "StatefulSet".equals(owner.getKind()) && name.equals(owner.getName());
    }
}
