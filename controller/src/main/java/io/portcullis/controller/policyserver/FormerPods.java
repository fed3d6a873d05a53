package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Pods of a StatefulSet that is gone, on their way out. A new one of the same name wants their names: Kubernetes would try to
 * make them in vain, with ever longer pauses of up to a quarter of an hour.
 */
final class FormerPods {

    /** One that has not ended so long after it should have is on a node that is lost; nobody waits for that. */
    private static final Duration OVERDUE = Duration.ofSeconds(30);

    private FormerPods() {}

    /**
     * Their names.
     *
     * @param statefulSet which is not there; pods that nobody owns are taken over by a new one
     */
    static List<String> of(String statefulSet, Collection<Pod> pods, Instant now) {
        return pods.stream()
                .filter(pod -> pod.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> isStatefulSet(owner, statefulSet)))
                .filter(pod -> !isOverdue(pod, now))
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .toList();
    }

    /** The stamp says when it is to be gone, its grace period included. */
    private static boolean isOverdue(Pod pod, Instant now) {
        var gone = pod.getMetadata().getDeletionTimestamp();
        return gone != null && now.isAfter(Instant.parse(gone).plus(OVERDUE));
    }

    private static boolean isStatefulSet(OwnerReference owner, String name) {
        return "StatefulSet".equals(owner.getKind()) && name.equals(owner.getName());
    }
}
